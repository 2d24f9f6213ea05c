package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.group.SubscriptionGroupTable;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.header.group.AllGroupConfigResponse;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.protocol.topic.TopicFilterType;
import dev.perigee.remoting.call.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Topics and groups as tools make and list them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerTopicAdminTest {
    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private Answer<NoHeader> create(String topic, @Nullable String attributes) throws Exception {
        return broker.call(
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader(topic, "TBW102", 4, 4, 6, "MULTI_TAG", 0, false, attributes, null),
                null);
    }

    private Answer<NoHeader> createAll(String json) throws Exception {
        return broker.call(
                Rpcs.UPDATE_AND_CREATE_TOPIC_LIST,
                NoHeader.NONE,
                json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private TopicConfig describe(String topic) throws Exception {
        Answer<NoHeader> answer = broker.call(Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(topic, null), null);
        return Json.read(answer.body(), TopicConfig.class);
    }

    private Answer<AllTopicConfigResponse> topics(int first, int count, @Nullable String version) throws Exception {
        return broker.call(Rpcs.GET_ALL_TOPIC_CONFIG, new AllTopicConfigHeader(first, version, count), null);
    }

    @Test
    void attributesAreCheckedAlikeForOneTopicAndForAList() throws Exception {
        assertThat(create("One", "+message.type=FIFO").code()).isZero();
        assertThat(createAll("{'topicConfigList':[{'topicName':'Listed','attributes':{'+message.type':'FIFO'}}]}")
                        .code())
                .isZero();
        assertThat(describe("One").attributes()).isEqualTo(Map.of("message.type", "FIFO"));
        assertThat(describe("Listed").attributes()).isEqualTo(Map.of("message.type", "FIFO"));
    }

    @ParameterizedTest
    @CsvSource({
        "message.type, red, 1, message.type=red",
        "message.type, MIXED, 29, message.type=MIXED",
        "queue.type, BatchCQ, 1, queue.type=BatchCQ",
        "colour, red, 1, colour"
    })
    void badAttributesMakeNoTopic(String key, String value, int code, String words) throws Exception {
        Answer<NoHeader> one = create("Bad", "+" + key + "=" + value);
        Answer<NoHeader> listed =
                createAll("{'topicConfigList':[{'topicName':'AlsoGood'},{'topicName':'Bad','attributes':{'" + key
                        + "':'" + value + "'}}]}");

        for (Answer<NoHeader> answer : List.of(one, listed)) {
            assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
            assertThat(answer.remarkText()).contains(words);
        }
        for (String topic : new String[] {"Bad", "AlsoGood"}) {
            assertThat(broker.call(Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(topic, null), null)
                            .code())
                    .isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        }
    }

    @ParameterizedTest
    @CsvSource({"Auto, false, 0", "AutoUnit, true, 1", "%RETRY%TOOLS_CONSUMER, true, 2"})
    void anAutomaticTopicInheritsFilterTypeAndUnit(String topic, boolean unitMode, int sysFlag) throws Exception {
        broker.call(
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader("Template", "TBW102", 2, 2, 7, "MULTI_TAG", 0, false, null, null),
                null);
        SendMessageHeader header =
                new SendMessageHeader("p", topic, "Template", 4, 0, 0, 0, 0, null, 0, unitMode, -1, false, null);

        assertThat(broker.call(Rpcs.SEND_MESSAGE_V2, header, new byte[] {1}).code())
                .isZero();

        TopicConfig made = describe(topic);
        assertThat(made.topicSysFlag()).isEqualTo(sysFlag);
        assertThat(made.topicFilterType())
                .isEqualTo(topic.startsWith("%") ? TopicFilterType.SINGLE_TAG : TopicFilterType.MULTI_TAG);
        assertThat(made.perm()).isEqualTo(6);
    }

    @Test
    void aTableThatChangedBetweenTwoPagesIsGivenFromItsStart() throws Exception {
        create("Before", null);
        TopicConfigTable first = Json.read(topics(0, 2, null).body(), TopicConfigTable.class);
        String version = Json.writeText(first.dataVersion());
        Answer<AllTopicConfigResponse> going = topics(2, 2, version);
        assertThat(going.require().totalTopicNum()).isGreaterThan(10);
        assertThat(Json.read(going.body(), TopicConfigTable.class).topicConfigTable())
                .hasSize(2)
                .doesNotContainKeys(first.topicConfigTable().keySet().toArray(String[]::new));

        create("Between", null);

        TopicConfigTable again = Json.read(topics(2, 2, version).body(), TopicConfigTable.class);
        assertThat(again.dataVersion()).isNotEqualTo(first.dataVersion());
        assertThat(again.topicConfigTable().keySet())
                .isEqualTo(first.topicConfigTable().keySet());
    }

    @Test
    void aPageOfGroupsOfAnotherVersionIsTheFirst() throws Exception {
        Answer<AllGroupConfigResponse> page = broker.call(
                Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
                new AllGroupConfigHeader(3, "{\"counter\":99,\"stateVersion\":0,\"timestamp\":1}", 2),
                null);
        assertThat(page.require().totalGroupNum()).isGreaterThan(3);
        assertThat(Json.read(page.body(), SubscriptionGroupTable.class).subscriptionGroupTable())
                .containsOnlyKeys("CID_ONS-HTTP-PROXY", "CID_ONSAPI_OWNER");
    }
}
