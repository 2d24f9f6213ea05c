package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.SteppedBroker.TurnedClock;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that wait for the log or the views: what comes meanwhile stands, and none waits for ever. */
class WaitingRequestsOfBrokerTest {
    private static final long LIMIT_MS = 5_000;

    private final TurnedClock clock = new TurnedClock();
    private SteppedBroker node;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 7);
    }

    /** Everything runs but the log takes nothing. */
    private void stepWithoutLog() {
        for (int i = 0; i < 10; i++) {
            node.stepNetworkOnly();
            node.stepOnly("view-loop");
        }
        node.stepNetworkOnly();
    }

    private void expires(CompletableFuture<? extends Answer<?>> waiting, String what) throws Exception {
        stepWithoutLog();
        clock.nowMs += LIMIT_MS - 1;
        stepWithoutLog();
        assertThat(waiting).as("waits for %s", what).isNotDone();
        clock.nowMs += 1_000;
        stepWithoutLog();
        assertThat(waiting).isDone();
        assertThat(waiting.get().code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(waiting.get().remarkText())
                .startsWith("[TIMEOUT_CLEAN_QUEUE]")
                .contains(what, "limit 5000 ms", "waitTimeMillsInPullQueue");
    }

    @Test
    void aGoodbyeThatOvertakesItsHeartbeatStands() throws Exception {
        CompletableFuture<? extends Answer<?>> heartbeat = node.heartbeat("c1");
        node.stepNetworkOnly();
        CompletableFuture<? extends Answer<?>> goodbye = node.goodbye("c1");
        node.stepNetworkOnly();
        assertThat(goodbye).isDone();
        assertThat(heartbeat).isNotDone();

        assertThat(node.run(heartbeat).code()).isZero();
        assertThat(node.run(node.members()).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        node.run(node.heartbeat("c1"));
        assertThat(node.run(node.members()).code()).isZero();
    }

    @Test
    void aConnectionThatClosesWhileItsHeartbeatWaitsLeavesNoMember() throws Exception {
        RemotingClient leaving = node.newClient();
        CompletableFuture<?> unanswered = node.heartbeat(leaving, "c1", "T");
        node.stepNetworkOnly();
        leaving.close();
        node.stepNetworkOnly();
        assertThat(unanswered).isCompletedExceptionally();

        assertThat(node.run(node.members()).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
    }

    @Test
    void aHeartbeatDoesNotWaitForItsGroupForEver() throws Exception {
        expires(node.heartbeat("c1"), "consumer group [g] to be prepared");
        node.settle();
        assertThat(node.run(node.members()).code())
                .as("a heartbeat that was refused counts for nothing")
                .isEqualTo(ResponseCode.SYSTEM_ERROR);
    }

    @Test
    void aSendDoesNotWaitForItsTopicForEver() throws Exception {
        CompletableFuture<Answer<SendMessageResponse>> send = node.send("late");
        expires(send, "topic [T] to be made");
        assertThat(node.run(node.send("next")).code()).isZero();
        assertThat(TestBroker.bodies(node.run(node.pull(0, 0))))
                .as("a send that was refused is not stored")
                .containsExactly("next");
    }

    @Test
    void aChangeOfTopicsDoesNotWaitForEver() throws Exception {
        expires(node.createTopic("U", 4), "its change of topics to be applied");
    }

    @Test
    void aPullDoesNotWaitForItsGroupForEver() throws Exception {
        node.run(node.createTopic("T", 1));
        expires(node.pull(0, 0), "consumer group [g] to be made");
    }

    @Test
    void aQuestionIsAnsweredWhenTheViewsHaveCaughtUp() throws Exception {
        node.run(node.send("m"));
        CompletableFuture<Answer<SendMessageResponse>> sent = node.send("n");
        node.stepNetworkOnly();
        node.stepAllBut("view-loop"); // stored, and not seen yet
        node.stepNetworkOnly();
        assertThat(sent).isDone();
        CompletableFuture<? extends Answer<?>> question = node.offset("T");
        node.stepNetworkOnly();
        assertThat(question).isNotDone();
        assertThat(node.run(question).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }
}
