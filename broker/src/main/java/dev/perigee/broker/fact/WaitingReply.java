package dev.perigee.broker.fact;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The reply of a request that waits. The wait ends with the first of: an answer, its expiry, {@link #finish}. An answer
 * that comes after that goes nowhere, and a step to be resumed after it is not run.
 *
 * @param <R> response header type
 */
@ThreadSafe
public final class WaitingReply<R extends Record> implements Reply<R> {
    private final WaitingRequests all;
    private final Reply<R> reply;
    private final String what;
    private final long bytes;
    private final long deadlineMs;
    private final Consumer<Refusal> refuse;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Runnable onAnswer = () -> {};

    WaitingReply(
            WaitingRequests all, Reply<R> reply, String what, long bytes, long deadlineMs, Consumer<Refusal> refuse) {
        this.all = all;
        this.reply = reply;
        this.what = what;
        this.bytes = bytes;
        this.deadlineMs = deadlineMs;
        this.refuse = refuse;
    }

    /** Sets what is run, once, when the wait ends with an answer or by its expiry. Before the request waits. */
    public WaitingReply<R> onAnswer(Runnable task) {
        onAnswer = task;
        return this;
    }

    /**
     * The wait is over and the request goes on, answered by its own reply.
     *
     * @return false when it was answered meanwhile and must not go on
     */
    public boolean finish() {
        if (!over.compareAndSet(false, true)) {
            return false;
        }
        all.ended(this);
        return true;
    }

    private boolean end() {
        if (!finish()) {
            return false;
        }
        onAnswer.run();
        return true;
    }

    /** Whether it waits no longer: it was answered, or waited too long. */
    public boolean isOver() {
        return over.get();
    }

    long bytes() {
        return bytes;
    }

    boolean isDue(long nowMs) {
        return nowMs >= deadlineMs;
    }

    void expire(long nowMs, long maxWaitMs) {
        if (end()) {
            refuse.accept(new Refusal(
                    ResponseCode.SYSTEM_BUSY,
                    "[TIMEOUT_CLEAN_QUEUE]broker busy: the request waited " + (nowMs - deadlineMs + maxWaitMs)
                            + " ms for " + what + ", limit " + maxWaitMs
                            + " ms (waitTimeMillsInPullQueue); a change may still be made, look or try again"));
        }
    }

    @Override
    public void send(int code, @Nullable String remark, @Nullable R header, @Nullable Payload body) {
        if (end()) {
            reply.send(code, remark, header, body);
        } else if (body != null) {
            body.release();
        }
    }

    @Override
    public void carriedOut() {
        reply.carriedOut();
    }

    @Override
    public void failed(RuntimeException cause) {
        end();
        reply.failed(cause);
    }

    @Override
    public void resume(Runnable step) {
        reply.resume(() -> guard(() -> {
            if (!over.get()) {
                step.run();
            }
        }));
    }
}
