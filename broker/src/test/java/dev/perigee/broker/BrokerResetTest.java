package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resets of offsets by a tool (222) against a topic with four messages in queue 0. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerResetTest {
    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
        for (int i = 0; i < 4; i++) {
            broker.send("T", 0, "m" + i);
        }
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private Answer<NoHeader> reset(String topic, String group, long timestamp, int queueId, @Nullable Long offset)
            throws Exception {
        return broker.call(
                Rpcs.INVOKE_BROKER_TO_RESET_OFFSET,
                new ResetOffsetHeader(topic, group, timestamp, true, queueId, offset),
                null);
    }

    private Answer<NoHeader> resetWithoutForce(String group, long timestamp, int queueId, @Nullable Long offset)
            throws Exception {
        return broker.call(
                Rpcs.INVOKE_BROKER_TO_RESET_OFFSET,
                new ResetOffsetHeader("T", group, timestamp, false, queueId, offset),
                null);
    }

    private long offsetOf(String group) throws Exception {
        return broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, "T", 0, null), null)
                .require()
                .offset();
    }

    @Test
    void aGroupThatIsOfflineIsResetByTime() throws Exception {
        broker.createGroup("offline");

        Answer<NoHeader> toEnd = reset("T", "offline", -1, -1, null);
        assertThat(toEnd.code()).as(toEnd.remarkText()).isZero();
        assertThat(new String(toEnd.body(), StandardCharsets.UTF_8))
                .contains("{\"brokerName\":\"broker-a\",\"queueId\":0,\"topic\":\"T\"}:4");
        assertThat(offsetOf("offline")).isEqualTo(4);

        assertThat(reset("T", "offline", 0, -1, null).code()).isZero();
        assertThat(offsetOf("offline")).isZero();
    }

    @Test
    void oneQueueIsResetToAnOffsetWithinItsEnds() throws Exception {
        broker.createGroup("one");

        assertThat(reset("T", "one", 0, 0, 4L).code()).isZero();
        assertThat(offsetOf("one")).isEqualTo(4);
        assertThat(reset("T", "one", 0, 0, 2L).code()).isZero();
        assertThat(offsetOf("one")).isEqualTo(2);
        assertThat(reset("T", "one", -1, 0, -1L).code()).isZero();
        assertThat(offsetOf("one")).isEqualTo(4);
    }

    @Test
    void withoutForceATimeSetsNothingForwardAndAnOffsetDoes() throws Exception {
        broker.createGroup("gentle");
        assertThat(reset("T", "gentle", 0, 0, 2L).code()).isZero();

        assertThat(resetWithoutForce("gentle", -1, -1, null).code()).isZero();
        assertThat(offsetOf("gentle")).isEqualTo(2);
        assertThat(resetWithoutForce("gentle", 0, 0, 4L).code()).isZero();
        assertThat(offsetOf("gentle")).isEqualTo(4);
        assertThat(resetWithoutForce("gentle", 0, 0, 1L).code()).isZero();
        assertThat(offsetOf("gentle")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "Nowhere, refused, -1, -1, 17, Nowhere",
        "T, nobody, -1, -1, 26, nobody",
        "T, refused, 0, 5, 1, offset 5 is not between 0 and 4",
        "T, refused, 0, -2, 1, offset -2 is not between 0 and 4",
        "T, refused, 4, 0, 29, queueId 4 is not between 0 and 3",
        "T, refused, -2, 0, 29, queueId -2"
    })
    void aResetThatMeansNothingIsRefused(String topic, String group, int queueId, long offset, int code, String words)
            throws Exception {
        broker.createGroup("refused");

        Answer<NoHeader> answer = reset(topic, group, 0, queueId, offset);

        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
        assertThat(broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("refused", "T", 0, null), null)
                        .code())
                .isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    @Test
    void membersThatKeepTheirOffsetsAreToldInTheFormTheirLanguageReads() throws Exception {
        assertThat(toldTo(Language.JAVA, "java"))
                .startsWith("{\"offsetTable\":{{\"brokerName\":\"broker-a\",\"queueId\":0,\"topic\":\"T\"}:0,");
        assertThat(toldTo(Language.CPP, "cpp"))
                .startsWith(
                        "{\"offsetTable\":[{\"brokerName\":\"broker-a\",\"offset\":0,\"queueId\":0,\"topic\":\"T\"},");
    }

    /** What a member of a group of its own is told when the group is reset. */
    private String toldTo(Language language, String group) throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, language, PeerVersion.V4_9_8)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat(group));
            consumer.await("IS_SUB_CHANGE");
            assertThat(reset("T", group, 0, -1, null).code()).isZero();
            return consumer.await("\"code\":220").body();
        }
    }

    /** Of a member that keeps its offsets to itself. */
    private static byte[] heartbeat(String group) {
        ConsumerData consumer = new ConsumerData(
                group,
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.BROADCASTING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", "*", 1)),
                false);
        return Json.write(new HeartbeatData("c", Set.of(), Set.of(consumer), 0, false));
    }

    @Test
    void aMemberThatKeepsItsOffsetsIsNotMovedByAResetBeforeItCame() throws Exception {
        broker.createGroup("homely");
        assertThat(reset("T", "homely", 0, 0, 1L).code()).isZero();
        assertThat(broker.call(Rpcs.HEART_BEAT, NoHeader.NONE, heartbeat("homely"))
                        .code())
                .isZero();

        assertThat(TestBroker.bodies(pull("homely", 3, 0, 0).get())).containsExactly("m3");
        Answer<PullMessageResponse> waited = pull("homely", 4, 2, 0, 200).get();
        assertThat(waited.code()).as("it waits").isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void theAnswerSaysThatAGroupConsumesByBroadcastingAndNothingIsLogged() throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, Language.JAVA, PeerVersion.V4_9_8)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat("homes"));
            consumer.await("IS_SUB_CHANGE");

            Answer<NoHeader> answer = reset("T", "homes", -1, -1, null);
            assertThat(answer.code()).isZero();
            assertThat(answer.remarkText())
                    .contains("group [homes] consumes by broadcasting", "its 1 connected members were told");
            consumer.await("\"code\":220");
            assertThat(broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("homes", "T", 0, null), null)
                            .code())
                    .isEqualTo(ResponseCode.QUERY_NOT_FOUND);

            Answer<NoHeader> copied = broker.call(
                    Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "homes", "T", false), null);
            assertThat(copied.code()).isEqualTo(ResponseCode.BROADCAST_CONSUMPTION);
            assertThat(copied.remarkText()).contains("destGroup: group [homes] consumes by broadcasting");
        }
    }

    private CompletableFuture<Answer<PullMessageResponse>> pull(String group, long offset, int flags, long commit) {
        return pull(group, offset, flags, commit, 30_000);
    }

    private CompletableFuture<Answer<PullMessageResponse>> pull(
            String group, long offset, int flags, long commit, long waitMs) {
        PullMessageHeader header = new PullMessageHeader(
                group, "T", 0, offset, 32, 4 | flags, commit, waitMs, "*", 0, "TAG", 0, 0, null, null);
        return broker.client.call(
                broker.address, Rpcs.PULL_MESSAGE, header, null, Deadline.after(Clock.system(), 60_000));
    }

    private Answer<NoHeader> commit(String group, long offset) throws Exception {
        return broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader(group, "T", 0, offset), null);
    }

    private static void movedTo(long offset, Answer<PullMessageResponse> answer) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(answer.remarkText()).isEqualTo("OFFSET_RESET");
        assertThat(answer.require().nextBeginOffset()).isEqualTo(offset);
        assertThat(answer.require().maxOffset()).isEqualTo(4);
    }

    @Test
    void aMemberThatPullsFromItsOldPlaceIsToldWhereItsGroupIsNow() throws Exception {
        broker.heartbeat("c", "member", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
        assertThat(reset("T", "member", 0, 0, 1L).code()).isZero();

        Answer<NoHeader> late = commit("member", 4);
        assertThat(late.code()).isZero();
        assertThat(late.remarkText()).contains("reset");
        assertThat(offsetOf("member")).isEqualTo(1);
        movedTo(1, pull("member", 4, 0, 0).get());
        assertThat(TestBroker.bodies(pull("member", 1, 0, 0).get())).containsExactly("m1", "m2", "m3");
        assertThat(commit("member", 3).remarkText()).isEmpty();
        assertThat(offsetOf("member")).isEqualTo(3);
    }

    @Test
    void whatAMemberCommitsWithThePullThatIsToldOfAResetDoesNotCount() throws Exception {
        broker.heartbeat("c", "carrier", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
        assertThat(reset("T", "carrier", 0, 0, 1L).code()).isZero();
        movedTo(1, pull("carrier", 4, 1, 4).get());
        assertThat(offsetOf("carrier")).isEqualTo(1);
    }

    @Test
    void aMemberThatHoldsMessagesIsToldAlsoWhenItPullsWhereItsGroupIsNow() throws Exception {
        broker.heartbeat("c", "skipping", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T");
        assertThat(TestBroker.bodies(pull("skipping", 0, 0, 0).get())).hasSize(4);
        assertThat(reset("T", "skipping", -1, -1, null).code()).isZero();
        movedTo(4, pull("skipping", 4, 0, 0).get());
    }

    @Test
    void aPullThatWaitsIsToldAtOnce() throws Exception {
        broker.heartbeat("c", "waiting", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T");
        CompletableFuture<Answer<PullMessageResponse>> parked = pull("waiting", 4, 2, 0);
        assertThat(TestBroker.bodies(pull("waiting", 3, 0, 0).get())).containsExactly("m3"); // the other waits by now
        assertThat(parked).isNotDone();
        assertThat(reset("T", "waiting", 0, 0, 2L).code()).isZero();
        movedTo(2, parked.get(60, TimeUnit.SECONDS));
    }

    @Test
    void aMemberThatComesAfterTheResetReadsFromThereAtOnce() throws Exception {
        broker.createGroup("later");
        assertThat(reset("T", "later", 0, 0, 2L).code()).isZero();
        assertThat(offsetOf("later")).isEqualTo(2);
        assertThat(TestBroker.bodies(pull("later", 2, 0, 0).get())).containsExactly("m2", "m3");
    }

    @Test
    void whoPulledFromAnOfflineGroupsOldPlaceIsTold() throws Exception {
        broker.createGroup("silent");
        assertThat(reset("T", "silent", 0, 0, 2L).code()).isZero();
        movedTo(2, pull("silent", 0, 0, 0).get());
        assertThat(TestBroker.bodies(pull("silent", 0, 0, 0).get())).as("once").hasSize(4);
    }

    @Test
    void aToolInCppHasEveryMemberToldInItsForm() throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, Language.CPP, PeerVersion.V4_9_8)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat("both"));
            consumer.await("IS_SUB_CHANGE");
            String fields = "{\"topic\":\"T\",\"group\":\"both\",\"timestamp\":\"0\",\"isForce\":\"true\"}";
            consumer.send(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, fields, new byte[0]);
            assertThat(consumer.await("\"code\":220").body()).startsWith("{\"offsetTable\":[");
        }
    }

    @Test
    void aMemberThatIsTooOldIsNamed() throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, Language.JAVA, PeerVersion.V3_0_7_SNAPSHOT - 1)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat("ancient"));
            consumer.await("IS_SUB_CHANGE");

            Answer<NoHeader> answer = reset("T", "ancient", 0, -1, null);
            assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(answer.remarkText()).contains("<c>", "V27", "V3_0_7_SNAPSHOT");
            assertThat(broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("ancient", "T", 0, null), null)
                            .code())
                    .isEqualTo(ResponseCode.QUERY_NOT_FOUND);

            Answer<NoHeader> info =
                    broker.call(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("ancient", "c", false), null);
            assertThat(info.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(info.remarkText()).contains("Version <V27> too low");
            Answer<NoHeader> directly = broker.call(
                    Rpcs.CONSUME_MESSAGE_DIRECTLY,
                    new ConsumeDirectlyHeader("ancient", "c", "no-id", null, null, null, null),
                    null);
            assertThat(directly.remarkText()).contains("Version <V27> too low");
        }
    }
}
