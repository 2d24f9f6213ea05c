package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.CheckClientConfig;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Subscriptions by SQL92: in the header of a pull, by heartbeat, while a pull waits, and where they are refused. */
class BrokerSqlTest {
    private static final int SUSPEND = 2;
    private static final int SUBSCRIPTION = 4;
    private static final String BAD = "a = 1 ANDD b = 2";
    private static final String BAD_TEXT = "line 1:7 near 'ANDD'";

    private SteppedBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), new SteppedBroker.TurnedClock(), 1);
    }

    private void send(String body, String properties) throws Exception {
        Answer<?> answer = broker.run(broker.call(
                broker.client,
                Rpcs.SEND_MESSAGE_V2,
                TestBroker.sendHeader("T", 0, properties),
                body.getBytes(StandardCharsets.UTF_8)));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private CompletableFuture<Answer<PullMessageResponse>> ask(String sql, String type, long offset, long suspendMs) {
        int flags = SUBSCRIPTION | (suspendMs == 0 ? 0 : SUSPEND);
        return broker.call(
                broker.client,
                Rpcs.PULL_MESSAGE,
                new PullMessageHeader("g", "T", 0, offset, 32, flags, 0, suspendMs, sql, 0, type, 0, 0, null, null),
                null);
    }

    private Answer<PullMessageResponse> pull(String sql, long offset) throws Exception {
        return broker.run(ask(sql, ExpressionType.SQL92, offset, 0));
    }

    private CompletableFuture<Answer<PullMessageResponse>> parked(String sql, long offset, long suspendMs) {
        CompletableFuture<Answer<PullMessageResponse>> pull = ask(sql, ExpressionType.SQL92, offset, suspendMs);
        broker.settle();
        assertThat(pull).isNotDone();
        return pull;
    }

    private void turn(long ms) {
        broker.clock.nowMs += ms;
        broker.settle();
    }

    private Answer<?> heartbeat(String sql) throws Exception {
        ConsumerData consumer = new ConsumerData(
                "g",
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET,
                Set.of(SubscriptionData.ofExpression("T", sql, ExpressionType.SQL92, 1)),
                false);
        HeartbeatData data = new HeartbeatData("c", Set.of(), Set.of(consumer), 0, false);
        return broker.run(broker.call(broker.client, Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data)));
    }

    private Answer<PullMessageResponse> pullAsSubscribed() throws Exception {
        return broker.run(broker.call(
                broker.client,
                Rpcs.PULL_MESSAGE,
                new PullMessageHeader("g", "T", 0, 0, 32, 0, 0, 0, null, 1, null, 0, 0, null, null),
                null));
    }

    private Answer<?> check(SubscriptionData subscription) throws Exception {
        return broker.run(broker.call(
                broker.client,
                Rpcs.CHECK_CLIENT_CONFIG,
                NoHeader.NONE,
                Json.write(new CheckClientConfig("c", "g", null, subscription))));
    }

    private static SubscriptionData sql(String expression) {
        return SubscriptionData.ofExpression("T", expression, ExpressionType.SQL92, 1);
    }

    private static void assertRefused(Answer<?> answer, int code, String... words) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
    }

    @Test
    void aPullGetsTheMessagesItsExpressionTakes() throws Exception {
        send("one", "a=1;TAGS=x");
        send("two", "a=2");
        send("three", "a=3;b=it's");
        send("none", "");
        Answer<PullMessageResponse> answer = pull("a > 1", 0);
        assertThat(TestBroker.bodies(answer)).containsExactly("two", "three");
        assertThat(answer.require().nextBeginOffset()).isEqualTo(4);
        assertThat(TestBroker.bodies(pull("b = 'it''s' OR TAGS = 'x'", 0))).containsExactly("one", "three");
        assertThat(TestBroker.bodies(pull("a IS NULL", 0))).containsExactly("none");
    }

    @Test
    void whereNothingIsTakenThePullGoesOnBehind() throws Exception {
        send("one", "a=1");
        send("two", "a=1");
        Answer<PullMessageResponse> answer = pull("a = 2", 0);
        assertThat(answer.code()).isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
        assertThat(answer.remarkText()).isEqualTo("NO_MATCHED_MESSAGE");
        assertThat(answer.require().nextBeginOffset()).isEqualTo(2);
    }

    @Test
    void oneReadLooksAtSoManyMessagesAndTheNextGoesOn() throws Exception {
        for (int i = 0; i < 300; i++) {
            send("m" + i, "a=" + i);
        }
        Answer<PullMessageResponse> first = pull("a = 299", 0);
        assertThat(first.code()).isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
        assertThat(first.require().nextBeginOffset()).isEqualTo(256);
        assertThat(TestBroker.bodies(pull("a = 299", 256))).containsExactly("m299");
        Answer<PullMessageResponse> some = pull("a < 3", 0);
        assertThat(TestBroker.bodies(some)).containsExactly("m0", "m1", "m2");
        assertThat(some.require().nextBeginOffset()).isEqualTo(256);
    }

    @Test
    void aParkedPullSleepsThroughMessagesForOthers() throws Exception {
        send("first", "a=1");
        CompletableFuture<Answer<PullMessageResponse>> waiting = parked("a = 2", 1, 20_000);
        for (int i = 0; i < 5; i++) {
            send("other", "a=1");
            broker.settle();
            assertThat(waiting).as("after %d", i).isNotDone();
        }
        send("mine", "a=2");
        Answer<PullMessageResponse> answer = broker.run(waiting);
        assertThat(TestBroker.bodies(answer)).containsExactly("mine");
        assertThat(answer.require().nextBeginOffset()).isEqualTo(7);
    }

    @Test
    void atItsDeadlineAParkedPullIsToldToGoOnBehindWhatWentBy() throws Exception {
        send("first", "a=1");
        CompletableFuture<Answer<PullMessageResponse>> waiting = parked("a = 2", 1, 20_000);
        turn(12_000);
        send("other", "a=1");
        turn(7_999);
        assertThat(waiting).isNotDone();
        turn(1);
        Answer<PullMessageResponse> answer = broker.run(waiting);
        assertThat(answer.code()).isEqualTo(ResponseCode.PULL_RETRY_IMMEDIATELY);
        assertThat(answer.remarkText()).isEqualTo("NO_MATCHED_MESSAGE");
        assertThat(answer.require().nextBeginOffset()).isEqualTo(2);
    }

    @Test
    void atItsDeadlineAParkedPullThatSawNothingIsToldSo() throws Exception {
        send("first", "a=1");
        CompletableFuture<Answer<PullMessageResponse>> waiting = parked("a = 2", 1, 20_000);
        turn(20_000);
        assertThat(broker.run(waiting).code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void nobodyWaitsLongerThanHalfAMinuteNorLessThanNotAtAll() throws Exception {
        send("first", "a=1");
        CompletableFuture<Answer<PullMessageResponse>> longest = parked("a = 2", 1, Long.MAX_VALUE);
        turn(29_999);
        assertThat(longest).isNotDone();
        turn(1);
        assertThat(broker.run(longest).code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        for (long absurd : new long[] {-1, Long.MIN_VALUE}) {
            assertThat(broker.run(ask("a = 2", ExpressionType.SQL92, 1, absurd)).code())
                    .isEqualTo(ResponseCode.PULL_NOT_FOUND);
        }
    }

    @Test
    void aBadExpressionInAPullIsRefusedWithItsPlace() throws Exception {
        send("one", "a=1");
        assertRefused(pull(BAD, 0), ResponseCode.SUBSCRIPTION_PARSE_FAILED, BAD_TEXT);
        assertRefused(pull(BAD, 0), ResponseCode.SUBSCRIPTION_PARSE_FAILED, BAD_TEXT); // kept as refused
        assertRefused(
                broker.run(ask("a = 1", "SQL99", 0, 0)),
                ResponseCode.SYSTEM_ERROR,
                "filter message by SQL99, only by TAG and SQL92");
    }

    @Test
    void aSubscriptionByHeartbeatCounts() throws Exception {
        send("one", "a=1");
        send("two", "a=2");
        assertThat(heartbeat("a = 2").code()).isZero();
        assertThat(TestBroker.bodies(pullAsSubscribed())).containsExactly("two");
    }

    @Test
    void aHeartbeatWithABadExpressionIsTakenAndItsPullsAreToldWhy() throws Exception {
        send("one", "a=1");
        assertThat(heartbeat(BAD).code()).isZero();
        assertRefused(pullAsSubscribed(), ResponseCode.SUBSCRIPTION_PARSE_FAILED, BAD_TEXT);
        assertThat(heartbeat("a = 1").code()).isZero();
        assertThat(TestBroker.bodies(pullAsSubscribed())).containsExactly("one");
    }

    @Test
    void aStartingConsumerIsToldWhetherItsExpressionIsGood() throws Exception {
        assertThat(check(SubscriptionData.ofTags("T", "x || y", 1)).code()).isZero();
        assertThat(check(sql("a > 1 AND b = 'x'")).code()).isZero();
        assertRefused(check(sql(BAD)), ResponseCode.SUBSCRIPTION_PARSE_FAILED, BAD_TEXT);
        assertRefused(check(sql("")), ResponseCode.SUBSCRIPTION_PARSE_FAILED, "its end");
    }

    @Test
    void whereSqlIsSwitchedOffItIsRefusedAtOnceAndTagsAreNot() throws Exception {
        send("one", "a=1;TAGS=x");
        heartbeat("a = 1");
        set("enablePropertyFilter=false");
        assertRefused(pull("a = 1", 0), ResponseCode.SYSTEM_ERROR, "SQL92, enablePropertyFilter is false");
        assertRefused(pullAsSubscribed(), ResponseCode.SYSTEM_ERROR, "SQL92, enablePropertyFilter is false");
        assertRefused(check(sql("a = 1")), ResponseCode.SYSTEM_ERROR, "SQL92, enablePropertyFilter is false");
        assertThat(TestBroker.bodies(broker.run(ask("x", "TAG", 0, 0)))).containsExactly("one");
        set("enablePropertyFilter=true");
        assertThat(TestBroker.bodies(pull("a = 1", 0))).containsExactly("one");
    }

    private void set(String line) throws Exception {
        Answer<?> answer = broker.run(broker.call(
                broker.client, Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, line.getBytes(StandardCharsets.UTF_8)));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }
}
