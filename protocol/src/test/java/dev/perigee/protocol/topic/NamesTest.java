package dev.perigee.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.group.GroupName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "Demo-Topic_1", "%RETRY%g", "a|b", "%DLQ%x"})
    void acceptsWhatStockAccepts(String name) {
        assertThat(TopicName.problem(name)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "../x", "a/b", "a b", "tópico", "a.b", "a\u0000", "a\n", "a:b", "~"})
    void refusesEverythingElse(String name) {
        assertThat(TopicName.problem(name)).isNotNull();
        assertThat(GroupName.problem(name)).isNotNull();
    }

    @Test
    void namesTheLimitOfLongNames() {
        assertThat(TopicName.problem("t".repeat(127))).isNull();
        assertThat(TopicName.problem("t".repeat(128))).contains("128").contains("limit 127");
        assertThat(TopicName.problem("%RETRY%" + "g".repeat(248))).isNull();
        assertThat(TopicName.problem("%RETRY%" + "g".repeat(249))).contains("limit 255");
        assertThat(GroupName.problem("g".repeat(120))).isNull();
        assertThat(GroupName.problem("g".repeat(121))).contains("limit 120");
        assertThat(TopicName.problem(null)).contains("blank");
    }

    @Test
    void knowsSystemTopics() {
        assertThat(SystemTopic.isSystem("TBW102")).isTrue();
        assertThat(SystemTopic.isSystem("rmq_sys_anything")).isTrue();
        assertThat(SystemTopic.isSystem("DemoTopic")).isFalse();
        assertThat(SystemTopic.isForbiddenToSend(SystemTopic.FACTS)).isTrue();
        assertThat(SystemTopic.isForbiddenToSend("TBW102")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "513,V5_5_0",
        "475,V5_3_1",
        "409,V4_9_8",
        "401,V4_9_4",
        "413,V5_0_0",
        "412,V5_0_0_SNAPSHOT",
        "437,V5_1_2",
        "213,V4_0_0",
        "0,V0"
    })
    void describesReleases(int version, String text) {
        assertThat(PeerVersion.describe(version)).isEqualTo(text);
    }

    @Test
    void writesPermissionsAsText() {
        assertThat(Permission.text(6)).isEqualTo("RW-");
        assertThat(Permission.text(7)).isEqualTo("RWX");
        assertThat(Permission.isValid(8)).isFalse();
    }
}
