package dev.perigee.broker.fact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.AskedStep;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What waits is bounded in bytes and in time, and is let go when it ends, whichever way. */
class WaitingRequestsTest {
    private static final long LIMIT_MS = 5_000;

    private final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    };
    private final WaitingRequests waiting = new WaitingRequests(clock, LIMIT_MS, 100);
    private final List<WaitingReply<NoHeader>> held = new ArrayList<>();
    private long nowMs = 1_000;
    private int answered;

    private AskedStep holding(long bytes) throws Exception {
        return new AskedStep(reply -> {
            WaitingReply<NoHeader> one = waiting.hold(reply, "a fact", bytes, refusal -> refusal.answer(reply));
            if (one != null) {
                held.add(one.onAnswer(() -> answered++));
            }
        });
    }

    private void pass(long ms) {
        nowMs += ms;
        waiting.doWork(nowMs);
    }

    @Test
    void aRequestIsAnsweredWhenItsTimeIsUpAndAnAnswerAfterThatGoesNowhere() throws Exception {
        AskedStep asked = holding(60);
        CompletableFuture<Answer<NoHeader>> answer = asked.ask();
        pass(LIMIT_MS - 1);
        asked.settle();
        assertThat(answer).isNotDone();
        assertThat(waiting.nextDeadlineMs()).isLessThanOrEqualTo(nowMs + WaitingRequests.SWEEP_MS);

        pass(WaitingRequests.SWEEP_MS);
        held.get(0).ok(NoHeader.NONE);
        asked.settle();

        assertThat(answer.get().code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(answer.get().remarkText())
                .startsWith("[TIMEOUT_CLEAN_QUEUE]")
                .contains("waited 5499 ms for a fact", "limit 5000 ms");
        assertThat(held.get(0).finish()).isFalse();
        assertThat(answered).isOne();
        assertThat(waiting.count()).isZero();
        assertThat(waiting.heldBytes()).isZero();
        assertThat(waiting.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aStepAfterTheTimeIsUpIsNotTaken() throws Exception {
        AskedStep asked = holding(0);
        CompletableFuture<Answer<NoHeader>> answer = asked.ask();
        pass(LIMIT_MS);
        boolean[] ran = new boolean[1];
        held.get(0).resume(() -> ran[0] = true);
        asked.settle();
        assertThat(answer).isDone();
        assertThat(ran[0]).isFalse();
    }

    @Test
    void bytesBeyondTheLimitAreRefusedUntilOthersEnd() throws Exception {
        AskedStep asked = holding(60);
        CompletableFuture<Answer<NoHeader>> first = asked.ask();
        Answer<NoHeader> second = asked.answer();
        assertThat(second.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(second.remarkText())
                .startsWith("[OVERLOAD]")
                .contains("60 bytes cannot wait for a fact", "hold 60 bytes", "limit 100");

        held.get(0).ok(NoHeader.NONE);
        asked.settle();
        assertThat(first.get().code()).isZero();
        assertThat(asked.ask()).isNotDone();
        assertThat(waiting.heldBytes()).isEqualTo(60);
    }

    @Test
    void aRequestThatGoesOnWaitsNoLonger() throws Exception {
        AskedStep asked = holding(60);
        CompletableFuture<Answer<NoHeader>> answer = asked.ask();
        assertThat(held.get(0).finish()).isTrue();
        pass(2 * LIMIT_MS);
        asked.settle();

        assertThat(answer).isNotDone();
        assertThat(answered).isZero();
        assertThat(waiting.heldBytes()).isZero();
    }

    @Test
    void aStepThatFailsEndsTheWait() throws Exception {
        AskedStep asked = holding(60);
        CompletableFuture<Answer<NoHeader>> answer = asked.ask();
        held.get(0).guard(() -> {
            throw new IllegalStateException("on purpose");
        });
        asked.settle();

        assertThat(answer.get().code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(answered).isOne();
        assertThat(waiting.count()).isZero();
    }
}
