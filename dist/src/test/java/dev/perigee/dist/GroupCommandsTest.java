package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.DeadLetterQueue;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Commands that look at what groups read, and change it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupCommandsTest {
    private static final long CALL_MS = 60_000;
    private static final int OFTEN_ENOUGH = 17;

    private final RunningUp up;
    private final AdminClient admin;
    private final EventLoops loops = EventLoops.start("test");
    private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());

    GroupCommandsTest(@TempDir Path folder) throws InterruptedException {
        up = new RunningUp(folder.resolve("data"));
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() {
        admin.start();
    }

    @AfterAll
    void stops() {
        client.close();
        loops.close();
        admin.close();
        assertThat(up.stop()).isEqualTo(ExitCode.OK);
    }

    private static Run ok(Run run) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(ExitCode.OK);
        return run;
    }

    private static void refused(Run run, int exitCode, String... parts) {
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("perigee: ").contains(parts));
    }

    private <Q extends Record, R extends Record> Answer<R> call(Rpc<Q, R> rpc, Q header, byte @Nullable [] body)
            throws Exception {
        Answer<R> answer = client.call(up.broker(), rpc, header, body, Deadline.after(Clock.system(), CALL_MS))
                .get();
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return answer;
    }

    /** A topic of one queue with messages, and a group that has consumed some of them. */
    private void topicWith(String topic, int messages, String group, long consumed) throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of(topic, 1));
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of(group));
        for (int i = 0; i < messages; i++) {
            ok(up.run("send", topic, "m" + i));
        }
        Awaitility.await().atMost(ONE_MINUTE).until(() -> admin.topics().maxOffset(queue(topic)) == messages);
        admin.groups().updateOffset(group, queue(topic), consumed);
    }

    private static MessageQueue queue(String topic) {
        return new MessageQueue(topic, "broker-a", 0);
    }

    private long offset(String group, String topic) throws Exception {
        return admin.groups().offset(group, queue(topic)).orElseThrow();
    }

    @Test
    void aGroupIsSetBackToTheBeginAndForwardOnlyWhenToldSo() throws Exception {
        topicWith("reset-ends", 5, "reset-ends-g", 3);

        Run dry =
                ok(up.run("group", "reset-offset", "reset-ends-g", "--topic", "reset-ends", "--to-begin", "--dry-run"));
        assertThat(dry.out()).contains("nothing was changed");
        assertThat(offset("reset-ends-g", "reset-ends")).isEqualTo(3);

        assertThat(ok(up.run("group", "reset-offset", "reset-ends-g", "--topic", "reset-ends", "--to-begin"))
                        .out())
                .contains("goes on from there; members that consume by broadcasting would not");
        assertThat(offset("reset-ends-g", "reset-ends")).isZero();

        Run forward = up.run("group", "reset-offset", "reset-ends-g", "--topic", "reset-ends", "--to-end");
        refused(forward, ExitCode.USAGE, "never consume 5 messages of topic reset-ends", "--yes");
        assertThat(offset("reset-ends-g", "reset-ends")).isZero();

        Run told = ok(up.run(
                "group", "reset-offset", "reset-ends-g", "--topic", "reset-ends", "--to-end", "--yes", "--json"));
        assertThat(told.object().get("changed")).isEqualTo(true);
        assertThat(told.object().get("offsetsAt")).isEqualTo("unknown");
        Map<?, ?> move = (Map<?, ?>)
                Objects.requireNonNull((List<?>) told.object().get("queues")).get(0);
        assertThat(move.get("from")).isEqualTo(0);
        assertThat(move.get("to")).isEqualTo(5);
        assertThat(move.get("skips")).isEqualTo(5);
        assertThat(offset("reset-ends-g", "reset-ends")).isEqualTo(5);
    }

    @Test
    void aGroupIsSetToATimeOrToOneOffset() throws Exception {
        topicWith("reset-time", 3, "reset-time-g", 3);
        long second = admin.messages()
                .byQueueOffset(queue("reset-time"), 1)
                .orElseThrow()
                .storeTimestampMs();
        long first = admin.messages()
                .byQueueOffset(queue("reset-time"), 0)
                .orElseThrow()
                .storeTimestampMs();

        ok(up.run("group", "reset-offset", "reset-time-g", "--topic", "reset-time", "--to-time", "" + second));
        assertThat(offset("reset-time-g", "reset-time")).isEqualTo(first == second ? 0 : 1);

        ok(up.run(
                "group", "reset-offset", "reset-time-g", "--topic", "reset-time", "--to-time", "2020-01-01T00:00:00Z"));
        assertThat(offset("reset-time-g", "reset-time")).isZero();

        ok(up.run(
                "group",
                "reset-offset",
                "reset-time-g",
                "--topic",
                "reset-time",
                "--queue",
                "0",
                "--offset",
                "2",
                "--yes"));
        assertThat(offset("reset-time-g", "reset-time")).isEqualTo(2);
    }

    @Test
    void aResetThatMakesNoSenseSaysWhatIsWrong() throws Exception {
        topicWith("reset-bad", 2, "reset-bad-g", 1);

        refused(
                up.run("group", "reset-offset", "nobody", "--topic", "reset-bad", "--to-begin"),
                ExitCode.NOT_FOUND,
                "group nobody does not exist (see 'group list'");
        refused(
                up.run("group", "reset-offset", "reset-bad-g", "--topic", "nothing", "--to-begin"),
                ExitCode.NOT_FOUND,
                "topic nothing does not exist (see 'topic list'");
        refused(
                up.run("group", "reset-offset", "reset-bad-g", "--topic", "reset-bad", "--queue", "0", "--offset", "3"),
                ExitCode.USAGE,
                "offset 3 is not between 0 and 2, the ends of queue 0 of topic reset-bad on broker-a");
        refused(
                up.run("group", "reset-offset", "reset-bad-g", "--topic", "reset-bad", "--queue", "1", "--offset", "0"),
                ExitCode.NOT_FOUND,
                "queue 1 of topic reset-bad does not exist");
        refused(
                up.run("group", "reset-offset", "reset-bad-g", "--topic", "reset-bad", "--to-begin", "--broker", "b"),
                ExitCode.NOT_FOUND,
                "broker b is no live master that holds the topic");
        Run soon = up.run("group", "reset-offset", "reset-bad-g", "--topic", "reset-bad", "--to-time", "soon");
        refused(soon, ExitCode.USAGE, "--to-time", "'soon' is not milliseconds since 1970");
        Run both = up.run("group", "reset-offset", "reset-bad-g", "--topic", "reset-bad", "--to-begin", "--to-end");
        assertThat(both.exitCode()).as(both.toString()).isEqualTo(ExitCode.USAGE);
        Run none = up.run("group", "reset-offset", "reset-bad-g", "--topic", "reset-bad");
        assertThat(none.exitCode()).as(none.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(offset("reset-bad-g", "reset-bad")).isEqualTo(1);
    }

    @Test
    void aGroupIsSetToWhereAnotherOneIs() throws Exception {
        topicWith("cloned", 4, "clone-from", 3);
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of("clone-to"));

        ok(up.run("group", "clone-offset", "clone-from", "clone-to"));

        assertThat(offset("clone-to", "cloned")).isEqualTo(3);
        refused(up.run("group", "clone-offset", "clone-from", "nobody"), ExitCode.NOT_FOUND, "group nobody");
    }

    private SubscriptionGroupConfig settings(String group) throws Exception {
        return Objects.requireNonNull(admin.groups().list().get(group), group);
    }

    @Test
    void onlyTheSettingsGivenAreChanged() throws Exception {
        ok(up.run("group", "create", "kept", "--retries", "5", "--retry-queues", "3", "--no-broadcast"));
        Run changed = ok(up.run("group", "create", "kept", "--no-consume", "--no-notify", "--json"));
        assertThat(changed.object().get("retryMaxTimes")).isEqualTo(5);
        SubscriptionGroupConfig kept = settings("kept");
        assertThat(kept.retryMaxTimes()).isEqualTo(5);
        assertThat(kept.retryQueueNums()).isEqualTo(3);
        assertThat(kept.consumeBroadcastEnable()).isFalse();
        assertThat(kept.consumeEnable()).isFalse();
        assertThat(kept.notifyConsumerIdsChangedEnable()).isFalse();

        ok(up.run("group", "create", "kept", "--consume"));
        assertThat(settings("kept").consumeEnable()).isTrue();
        assertThat(settings("kept").retryMaxTimes()).isEqualTo(5);

        ok(up.run("group", "delete", "kept", "--yes"));
        refused(up.run("group", "delete", "kept"), ExitCode.NOT_FOUND, "group kept does not exist");
    }

    @Test
    void theLagOfAGroupIsShownByTopic() throws Exception {
        topicWith("lagging", 5, "lagging-g", 2);

        Run one = ok(up.run("group", "lag", "lagging-g", "--json"));
        Map<?, ?> line = (Map<?, ?>) one.array().get(0);
        assertThat(line.get("topic")).isEqualTo("lagging");
        assertThat(line.get("lag")).isEqualTo(3);
        assertThat(ok(up.run("group", "lag")).out()).contains("lagging-g").doesNotContain("CID_ONSAPI_OWNER");
        assertThat(ok(up.run("group", "lag", "lagging-g", "--watch", "--max", "1"))
                        .out())
                .contains("lagging-g");
        refused(up.run("group", "lag", "nobody"), ExitCode.NOT_FOUND, "group nobody does not exist");
    }

    @Test
    void connectedClientsAreListedByGroup() throws Exception {
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of("listed-g"));
        assertThat(ok(up.run("client", "list", "--group", "listed-g")).out()).contains("no clients are connected");
        HeartbeatData both = new HeartbeatData(
                "c-1",
                Set.of(new ProducerData("listed-p")),
                Set.of(new ConsumerData(
                        "listed-g",
                        ConsumeType.CONSUME_PASSIVELY,
                        MessageModel.CLUSTERING,
                        ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                        Set.of(SubscriptionData.ofTags("listed", "*", 1)),
                        false)),
                0,
                false);
        call(Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(both));

        List<Map<?, ?>> seen = new ArrayList<>();
        for (Object each : ok(up.run("client", "list", "--json")).array()) {
            Map<?, ?> line = (Map<?, ?>) each;
            if ("c-1".equals(line.get("clientId"))) {
                seen.add(line);
            }
        }
        assertThat(seen)
                .extracting(line -> line.get("group") + " " + line.get("role"))
                .containsExactly("listed-g consumer", "listed-p producer");
        assertThat(seen.get(0).get("brokers")).isEqualTo(List.of(up.broker()));
        assertThat(String.valueOf(seen.get(0).get("address"))).startsWith("127.0.0.1:");
        assertThat(ok(up.run("client", "list", "--group", "listed-g")).out())
                .contains("c-1")
                .doesNotContain("listed-p");
        refused(up.run("client", "list", "--group", "nobody"), ExitCode.NOT_FOUND, "group nobody does not exist");
    }

    private DeadLetterQueue deadLetter(String group, int sysFlag, byte[] body, Map<String, String> properties)
            throws Exception {
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of(group));
        call(
                Rpcs.SEND_MESSAGE_V2,
                new SendMessageHeader(
                        "CLIENT_INNER_PRODUCER",
                        "%RETRY%" + group,
                        "TBW102",
                        1,
                        0,
                        sysFlag,
                        1_700_000_000_000L,
                        7,
                        PropertyText.of(properties),
                        OFTEN_ENOUGH,
                        false,
                        OFTEN_ENOUGH - 1,
                        false,
                        null),
                body);
        Awaitility.await()
                .atMost(CALL_MS, TimeUnit.MILLISECONDS)
                .until(() -> admin.topics().exists("%DLQ%" + group));
        return admin.deadLetters().of(group).get(0);
    }

    private static byte[] deflated(String text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return packed.toByteArray();
    }

    private static Map<String, String> properties(String... namesAndValues) {
        Map<String, String> properties = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return properties;
    }

    private MessageExt only(String topic) throws Exception {
        List<MessageExt> found = admin.messages().read(queue(topic), 0, 10);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void aDeadLetterIsShownAndSentAgainToItsGroupAsANewMessage() throws Exception {
        DeadLetterQueue letters = deadLetter(
                "dead-g",
                SysFlag.COMPRESSED,
                deflated("try me again"),
                properties(
                        "TAGS",
                        "blue",
                        "colour",
                        "azur",
                        "UNIQ_KEY",
                        "U1",
                        "RETRY_TOPIC",
                        "first-topic",
                        "ORIGIN_MESSAGE_ID",
                        "O1",
                        "DELAY",
                        "0",
                        "DLQ_REASON",
                        "RETRIES_EXHAUSTED"));
        assertThat(letters.count()).isEqualTo(1);

        List<?> listed = ok(up.run("dlq", "list", "--json")).array();
        assertThat(listed)
                .anySatisfy(each -> assertThat(((Map<?, ?>) each).get("group")).isEqualTo("dead-g"));
        Map<?, ?> peeked = (Map<?, ?>)
                ok(up.run("dlq", "peek", "dead-g", "--json")).array().get(0);
        assertThat(peeked.get("body")).isEqualTo("try me again");
        assertThat(peeked.get("originTopic")).isEqualTo("first-topic");
        assertThat(ok(up.run("dlq", "peek", "dead-g")).out())
                .contains("try me again", "from first-topic, failed 17 times: retries 16 of 16");

        Run replayed = ok(up.run("dlq", "replay", "dead-g", "--offset", "0"));
        assertThat(replayed.out()).contains("sent 1, failed 0; the dead letters stay where they are");

        MessageExt again = only("%RETRY%dead-g");
        assertThat(again.reconsumeTimes()).as("it is no retry yet").isZero();
        assertThat(again.bodyText()).isEqualTo("try me again");
        assertThat(again.flag()).isEqualTo(7);
        assertThat(again.bornTimestampMs()).isEqualTo(1_700_000_000_000L);
        assertThat(again.properties())
                .containsEntry("TAGS", "blue")
                .containsEntry("colour", "azur")
                .containsEntry("UNIQ_KEY", "U1")
                .containsEntry("RETRY_TOPIC", "first-topic")
                .containsEntry("ORIGIN_MESSAGE_ID", "O1")
                .doesNotContainKeys(PropertyKey.DELAY_LEVEL, PropertyKey.DLQ_REASON);
        assertThat(admin.deadLetters().of("dead-g").get(0).count())
                .as("it stays")
                .isEqualTo(1);
    }

    @Test
    void aDeadLetterIsSentToItsFirstTopicOnlyWhenToldSo() throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of("origin-topic", 1));
        deadLetter("topic-g", 0, "again".getBytes(StandardCharsets.UTF_8), properties("RETRY_TOPIC", "origin-topic"));

        refused(
                up.run("dlq", "replay", "topic-g", "--offset", "0", "--to-topic"),
                ExitCode.USAGE,
                "1 messages again, and every group of their topics gets them; --yes does it");
        ok(up.run("dlq", "replay", "topic-g", "--offset", "0", "--to-topic", "--yes"));

        MessageExt again = only("origin-topic");
        assertThat(again.bodyText()).isEqualTo("again");
        assertThat(again.properties()).doesNotContainKey(PropertyKey.RETRY_TOPIC);
    }

    @Test
    void whatCannotBeSentAgainIsNamedAndTheRestIsSent() throws Exception {
        deadLetter("half-g", 0, "lost".getBytes(StandardCharsets.UTF_8), properties("TAGS", "a"));
        deadLetter("half-g", 0, "found".getBytes(StandardCharsets.UTF_8), properties("RETRY_TOPIC", "t"));

        refused(up.run("dlq", "replay", "half-g", "--all"), ExitCode.USAGE, "2 messages again; --yes does it");
        Run all = up.run("dlq", "replay", "half-g", "--all", "--yes", "--json");
        assertThat(all.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(all.object().get("sent")).isEqualTo(1);
        assertThat(all.object().get("failed")).isEqualTo(1);
        assertThat(all.out()).contains("RETRY_TOPIC");
        assertThat(only("%RETRY%half-g").bodyText()).isEqualTo("found");

        refused(
                up.run("dlq", "replay", "half-g", "--offset", "2"),
                ExitCode.NOT_FOUND,
                "offset 2 is not between 0 and 1, the dead letters of group half-g on broker-a; nothing was sent");
        refused(
                up.run("dlq", "replay", "half-g", "--from", "1", "--to", "0"),
                ExitCode.USAGE,
                "offsets 1 to 0 are not 1 to 1000 entries");
        ok(up.run("dlq", "replay", "half-g", "--from", "1", "--to", "1"));
    }

    @Test
    void aGroupWithoutDeadLettersSaysSo() throws BadBodyException, Exception {
        admin.groups().createOrUpdate(SubscriptionGroupConfig.of("clean-g"));
        refused(up.run("dlq", "replay", "clean-g", "--all"), ExitCode.NOT_FOUND, "group clean-g has no dead letters");
        assertThat(ok(up.run("dlq", "peek", "clean-g")).out()).contains("no dead letters there");
        refused(up.run("dlq", "peek", "nobody"), ExitCode.NOT_FOUND, "group nobody does not exist");
    }
}
