package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broker and client on one thread: the network in memory, a disk that loses power, and a clock the test turns. */
class BrokerOnOneThreadTest {
    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final MemoryViewStores viewStores = new MemoryViewStores();
    private SteppedBroker node;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(disk, viewStores, clock, 7);
    }

    @Test
    void aMessageGoesThroughWithoutAnyThread() throws Exception {
        Answer<SendMessageResponse> sent = node.run(node.send("hello"));
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(TestBroker.bodies(node.run(node.pull(0, 0)))).containsExactly("hello");
    }

    @Test
    void aParkedPullIsAnsweredWhenItsTimeIsUp() throws Exception {
        node.run(node.send("hello"));
        node.run(node.pull(0, 0));
        CompletableFuture<Answer<PullMessageResponse>> parked = node.pull(1, 15_000);
        for (int i = 0; i < 1_000; i++) {
            node.step();
        }
        assertThat(parked).isNotDone();
        clock.nowMs += 15_001;
        Answer<PullMessageResponse> answer = node.run(parked);
        assertThat(answer.code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void sendersOfANewTopicWaitForOneFactAndAllSucceed() throws Exception {
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sends.add(node.send("m" + i));
        }
        for (CompletableFuture<Answer<SendMessageResponse>> send : sends) {
            assertThat(node.run(send).code()).isZero();
        }
        assertThat(node.run(node.pull(0, 0)).require().maxOffset()).isEqualTo(50);
    }

    @Test
    void aSendBehindTheDeletionOfItsTopicIsRefusedAndNeverSeenAgain() throws Exception {
        node.run(node.send("old"));
        CompletableFuture<? extends Answer<?>> deletion = node.delete();
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            sends.add(node.send("m" + i));
            node.step();
        }
        assertThat(node.run(deletion).code()).isZero();
        List<String> stored = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < sends.size(); i++) {
            Answer<SendMessageResponse> answer = node.run(sends.get(i));
            if (answer.code() == ResponseCode.TOPIC_NOT_EXIST) {
                assertThat(answer.remarkText()).contains("topic[T]").contains("was deleted");
                refused++;
                stored.clear(); // what was stored so far went with the topic
            } else {
                assertThat(answer.code()).as(answer.remarkText()).isZero();
                stored.add("m" + i);
            }
        }
        assertThat(refused).isPositive();
        assertThat(TestBroker.bodies(node.run(node.pull(0, 0)))).isEqualTo(stored);
    }

    @Test
    void aConsumerThatFallsSilentIsForgotten() throws Exception {
        node.run(node.heartbeat("c1"));
        assertThat(node.run(node.members()).code()).isZero();
        clock.nowMs += 60_000;
        node.run(node.heartbeat("c1"));
        clock.nowMs += 100_000;
        assertThat(node.run(node.members()).code()).isZero();
        clock.nowMs += 31_000;
        assertThat(node.run(node.members()).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
    }

    @Test
    void aNewGroupStartsWhereTheQueueEndedWhenItsHeartbeatArrived() throws Exception {
        node.run(node.send("before"));
        CompletableFuture<? extends Answer<?>> heartbeat = node.heartbeat("c1");
        node.stepNetworkOnly();
        CompletableFuture<Answer<SendMessageResponse>> late = node.send("after");
        node.stepNetworkOnly();
        node.stepAllBut("view-loop"); // the message is stored before the start is decided
        assertThat(node.run(late).code()).isZero();
        node.run(heartbeat);

        assertThat(node.run(node.offset("T")).require().offset()).isEqualTo(1);
    }

    @Test
    void aGroupThatWaitedForATopicStartsAtItsFirstMessage() throws Exception {
        node.run(node.heartbeat("c1"));
        assertThat(node.run(node.offset("T")).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);

        node.run(node.send("first"));

        assertThat(node.run(node.offset("T")).require().offset()).isZero();
    }

    @Test
    void aHeartbeatThatNamesTopicsThatAreNotThereLeavesNothingInTheLog() throws Exception {
        node.run(node.heartbeat("c1"));
        long end = node.broker.logEndOffset();
        String[] invented =
                IntStream.range(0, 500).mapToObj(i -> "Invented" + i).toArray(String[]::new);
        node.run(node.heartbeat("c2", invented));
        assertThat(node.broker.logEndOffset()).isEqualTo(end);
        assertThat(node.run(node.offset("Invented7")).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    @Test
    void whatWasAcknowledgedSurvivesALossOfPower() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(node.run(node.send("m" + i)).code()).isZero();
        }
        disk.crash();
        viewStores.crash(new Random(1));
        SteppedBroker again = new SteppedBroker(disk, viewStores, clock, 8);
        assertThat(TestBroker.bodies(again.run(again.pull(0, 0)))).containsExactly("m0", "m1", "m2", "m3", "m4");
    }
}
