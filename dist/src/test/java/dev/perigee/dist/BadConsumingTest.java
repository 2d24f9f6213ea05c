package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands of consumers that make no sense: one line that says what is wrong, and nothing moves. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadConsumingTest {
    private static final MessageQueue QUEUE = new MessageQueue("t", "broker-a", 0);

    private final RunningUp up;
    private final AdminClient admin;

    BadConsumingTest(@TempDir Path folder) throws InterruptedException {
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() throws Exception {
        admin.start();
        admin.topics().createOrUpdate(TopicConfig.of("t", 1));
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of("g"));
        assertThat(up.run("send", "t", "one", "two").exitCode()).isEqualTo(ExitCode.OK);
        admin.groups().updateOffset("g", QUEUE, 1);
    }

    @AfterAll
    void stops() {
        admin.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    @AfterEach
    void nothingMoved() throws Exception {
        assertThat(admin.groups().offset("g", QUEUE)).hasValue(1);
        assertThat(admin.groups().list().keySet()).noneMatch(name -> name.contains("/"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "group create a/b ; 1 ; a/b",
                "consume t --no-follow --group a/b ; 2 ; a/b",
                "consume t --no-follow --group g --tag || ; 2 ; no tag",
                "consume nowhere --group g ; 4 ; topic nowhere does not exist",
                "consume SCHEDULE_TOPIC_XXXX --no-follow ; 1 ; kept by brokers for themselves",
                "consume SCHEDULE_TOPIC_XXXX --no-follow --group g ; 2 ; kept by brokers for themselves",
                "group describe a/b ; 4 ; group a/b does not exist",
                "group lag a/b ; 4 ; group a/b does not exist",
                "group delete nobody ; 4 ; group nobody does not exist",
                "group clone-offset nobody g ; 4 ; group nobody does not exist",
                "group clone-offset g nobody ; 4 ; group nobody does not exist",
                "group clone-offset g g --topic nowhere ; 4 ; topic nowhere does not exist",
                "group reset-offset nobody --topic t --to-begin ; 4 ; group nobody does not exist",
                "group reset-offset g --topic nowhere --to-begin ; 4 ; topic nowhere does not exist",
                "group reset-offset g --topic t --queue 0 --offset 3 ; 2 ; offset 3 is not between 0 and 2",
                "group reset-offset g --topic t --queue 0 --offset 9223372036854775807 ; 2 ; is not between 0 and 2",
                "group reset-offset g --topic t --to-end ; 2 ; would never consume 1 messages",
                "client list --group nobody ; 4 ; group nobody does not exist",
                "dlq peek nobody ; 4 ; group nobody does not exist"
            })
    void isRefusedInOneLine(String words, int exitCode, String text) {
        refused(up.run(words.split(" ", -1)), exitCode, text);
    }

    private static void refused(Run run, int exitCode, String text) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line ->
                        assertThat(line).startsWith("perigee: ").contains(text).doesNotContain("Exception"));
    }

    @Test
    void aGroupThatMayNotConsumeSaysSoInsteadOfWaiting() {
        assertThat(up.run("group", "create", "stopped", "--no-consume").exitCode())
                .isEqualTo(ExitCode.OK);
        refused(up.run("consume", "t", "--group", "stopped"), ExitCode.FAILED, "consumeEnable is false");
    }

    @Test
    void aTopicThatMayNotBeReadSaysSoInsteadOfWaiting() {
        assertThat(up.run("topic", "create", "writable", "--perm", "2").exitCode())
                .isEqualTo(ExitCode.OK);
        String text = "topic writable has no queue that can be read";
        refused(up.run("consume", "writable"), ExitCode.NOT_FOUND, text);
        refused(up.run("consume", "writable", "--group", "g"), ExitCode.NOT_FOUND, text);
    }
}
