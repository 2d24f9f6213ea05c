package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends that waited in front of the log longer than 200 ms, because it has too much to do, are answered and not stored. */
class ExpiredSendsTest {
    /** More than a sixteenth of the inbox: requests wait for each other. */
    private static final int MANY = 1_100;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private SteppedBroker node;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 7);
        assertThat(node.run(node.send("first")).code()).isZero();
    }

    private List<CompletableFuture<Answer<SendMessageResponse>>> sendAndWait(int count, long waitMs) {
        List<CompletableFuture<Answer<SendMessageResponse>>> sends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sends.add(node.send("m" + i));
            node.stepNetworkOnly();
        }
        clock.nowMs += waitMs;
        return sends;
    }

    @Test
    void behindManyOthersTheyAreAnsweredBusyWithTheCauseOnAConnectionThatStays() throws Exception {
        for (CompletableFuture<Answer<SendMessageResponse>> send : sendAndWait(MANY, 201)) {
            Answer<SendMessageResponse> answer = node.run(send);
            assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
            assertThat(answer.remark())
                    .startsWith("[TIMEOUT_CLEAN_QUEUE]")
                    .contains("201 ms", "waitTimeMillsInSendQueue=200", "nothing is stored");
        }
        assertThat(node.network.openConnections()).isEqualTo(1);
        Answer<SendMessageResponse> next = node.run(node.send("next"));
        assertThat(next.code()).isZero();
        assertThat(next.require().queueOffset()).isEqualTo(1);
    }

    @Test
    void whoStillWaitsIsServed() throws Exception {
        for (CompletableFuture<Answer<SendMessageResponse>> send : sendAndWait(MANY, 200)) {
            assertThat(node.run(send).code()).isZero();
        }
    }

    @Test
    void whereNothingQueuesALateSendIsServed() throws Exception {
        for (CompletableFuture<Answer<SendMessageResponse>> send : sendAndWait(10, 5_000)) {
            assertThat(node.run(send).code()).isZero();
        }
    }
}
