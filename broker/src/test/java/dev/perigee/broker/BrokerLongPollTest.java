package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.pull.PullWaiters;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A parked pull is told at once what would refuse it now; and each member is filtered by what it asked for itself. */
class BrokerLongPollTest {
    private static final int SUSPEND = 2;
    private static final int SUBSCRIPTION = 4;
    private static final int MANY = 200;
    private static final int LONG_TEXT = 260_000;

    private SteppedBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), new SteppedBroker.TurnedClock(), 1);
        topic(4, 6);
    }

    private void topic(int queues, int perm) throws Exception {
        Answer<?> answer = broker.run(broker.call(
                broker.client,
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader("T", "TBW102", queues, queues, perm, "SINGLE_TAG", 0, false, null, null),
                null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private void group(boolean consumeEnable) throws Exception {
        SubscriptionGroupConfig group = new SubscriptionGroupConfig(
                "g", consumeEnable, true, true, false, 1, 16, null, 0, 1, true, 0, 15, null, Map.of());
        broker.putGroup(group);
    }

    private CompletableFuture<Answer<PullMessageResponse>> parked(int queueId) {
        CompletableFuture<Answer<PullMessageResponse>> pull = broker.call(
                broker.client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", queueId, 0, 20_000), null);
        broker.settle();
        assertThat(pull).isNotDone();
        return pull;
    }

    private void assertTold(CompletableFuture<Answer<PullMessageResponse>> pull, int code, String words) {
        broker.settle(); // and no time passes
        assertThat(pull).isCompleted();
        assertThat(pull.join().code()).as(pull.join().remarkText()).isEqualTo(code);
        assertThat(pull.join().remarkText()).contains(words);
    }

    @Test
    void aPullParkedOnATopicThatShrinksIsToldAtOnce() throws Exception {
        CompletableFuture<Answer<PullMessageResponse>> stays = parked(1);
        CompletableFuture<Answer<PullMessageResponse>> goes = parked(3);
        topic(2, 6);
        assertTold(goes, ResponseCode.INVALID_PARAMETER, "queueId[3]");
        assertThat(stays).isNotDone();
    }

    @Test
    void aPullParkedOnATopicThatIsDeletedIsToldAtOnce() throws Exception {
        CompletableFuture<Answer<PullMessageResponse>> pull = parked(0);
        broker.run(broker.delete());
        assertTold(pull, ResponseCode.TOPIC_NOT_EXIST, "topic[T] not exist");
    }

    private CompletableFuture<Answer<PullMessageResponse>> tagged(String tags) {
        return broker.call(
                broker.client,
                Rpcs.PULL_MESSAGE,
                new PullMessageHeader(
                        "g", "T", 0, 0, 32, SUSPEND | SUBSCRIPTION, 0, 20_000, tags, 0, "TAG", 0, 0, null, null),
                null);
    }

    private void send(String tag) throws Exception {
        assertThat(broker.run(broker.call(
                                broker.client,
                                Rpcs.SEND_MESSAGE_V2,
                                TestBroker.sendHeader("T", 0, "TAGS=" + tag),
                                tag.getBytes(StandardCharsets.UTF_8)))
                        .code())
                .isZero();
        broker.settle(); // and no time passes: nothing looks for messages
    }

    @Test
    void ofManyPullsParkedOnOneQueueAnArrivalWakesThoseItIsForAndNobodyElse() throws Exception {
        List<CompletableFuture<Answer<PullMessageResponse>>> red = new ArrayList<>();
        List<CompletableFuture<Answer<PullMessageResponse>>> blue = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            red.add(tagged("red"));
            blue.add(tagged("blue || green"));
        }
        broker.settle();
        send("yellow");
        assertThat(red).noneMatch(CompletableFuture::isDone);
        assertThat(blue).noneMatch(CompletableFuture::isDone);

        send("red");
        for (CompletableFuture<Answer<PullMessageResponse>> pull : red) {
            assertThat(TestBroker.bodies(broker.run(pull))).containsExactly("red");
        }
        assertThat(blue).noneMatch(CompletableFuture::isDone);

        send("green");
        for (CompletableFuture<Answer<PullMessageResponse>> pull : blue) {
            assertThat(TestBroker.bodies(broker.run(pull))).containsExactly("green");
            assertThat(pull.join().require().nextBeginOffset()).isEqualTo(3);
        }
    }

    @Test
    void whereNoMorePullsMayWaitAFurtherOneIsToldToComeBackAndTheOthersWaitOn() throws Exception {
        String longTag = "t".repeat(LONG_TEXT);
        List<CompletableFuture<Answer<PullMessageResponse>>> pulls = new ArrayList<>();
        while (pulls.size() <= PullWaiters.MAX_WAITING_BYTES / LONG_TEXT
                && pulls.stream().noneMatch(CompletableFuture::isDone)) {
            pulls.add(tagged(longTag));
            broker.settle();
        }
        CompletableFuture<Answer<PullMessageResponse>> last = pulls.remove(pulls.size() - 1);
        assertThat(last).isCompleted();
        Answer<PullMessageResponse> refused = last.join();
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(refused.remarkText())
                .contains("[OVERLOAD]pull", pulls.size() + " pulls wait", "limit " + PullWaiters.MAX_WAITING_BYTES);
        assertThat(pulls).noneMatch(CompletableFuture::isDone);

        broker.clock.nowMs += 20_000;
        for (CompletableFuture<Answer<PullMessageResponse>> pull : pulls) {
            assertThat(broker.run(pull).code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        }
        CompletableFuture<Answer<PullMessageResponse>> again = tagged(longTag);
        broker.settle();
        assertThat(again).as("there is room again").isNotDone();
    }

    @Test
    void aPullParkedOnATopicThatMayNotBeReadAnyMoreIsToldAtOnce() throws Exception {
        CompletableFuture<Answer<PullMessageResponse>> pull = parked(0);
        topic(4, 2);
        assertTold(pull, ResponseCode.NO_PERMISSION, "may not be read");
    }

    @Test
    void aPullOfAGroupThatMayNotConsumeAnyMoreIsToldAtOnce() throws Exception {
        group(true);
        CompletableFuture<Answer<PullMessageResponse>> pull = parked(0);
        group(false);
        assertTold(pull, ResponseCode.NO_PERMISSION, "consumeEnable is false");
    }

    @Test
    void aChangeThatForbidsNothingWakesNobody() throws Exception {
        CompletableFuture<Answer<PullMessageResponse>> pull = parked(0);
        topic(8, 6);
        group(true);
        broker.settle();
        assertThat(pull).isNotDone();
    }

    @Test
    void aRollingChangeOfTagsLosesNothing() throws Exception {
        RemotingClient old = broker.newClient();
        RemotingClient renewed = broker.newClient();
        heartbeat(old, "old", "A", 1);
        heartbeat(renewed, "renewed", "A || B", 2);
        for (String tag : List.of("A", "B", "A")) {
            for (int queueId = 0; queueId < 2; queueId++) {
                broker.run(broker.call(
                        broker.client,
                        Rpcs.SEND_MESSAGE_V2,
                        TestBroker.sendHeader("T", queueId, "TAGS=" + tag),
                        (tag + queueId).getBytes(StandardCharsets.UTF_8)));
            }
        }
        List<String> got = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            got.clear();
            heartbeat(
                    round == 0 ? old : renewed, round == 0 ? "old" : "renewed", round == 0 ? "A" : "A || B", 1 + round);
            got.addAll(pull(old, 0, 1));
            got.addAll(pull(renewed, 1, 2));
            assertThat(got).as("whoever spoke last, round %d", round).containsExactly("A0", "A0", "A1", "B1", "A1");
        }
    }

    private List<String> pull(RemotingClient by, int queueId, long version) throws Exception {
        return TestBroker.bodies(broker.run(broker.call(
                by,
                Rpcs.PULL_MESSAGE,
                new PullMessageHeader(
                        "g", "T", queueId, 0, 32, SUSPEND, 0, 1_000, null, version, null, 0, 0, null, null),
                null)));
    }

    private void heartbeat(RemotingClient by, String clientId, String tags, long version) throws Exception {
        ConsumerData consumer = new ConsumerData(
                "g",
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", tags, version)),
                false);
        HeartbeatData data = new HeartbeatData(clientId, Set.of(), Set.of(consumer), 0, false);
        assertThat(broker.run(broker.call(by, Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data)))
                        .code())
                .isZero();
    }
}
