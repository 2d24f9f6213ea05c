package dev.perigee.broker.member;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many requests that only a master may answer are being answered here. Who begins one counts it first and asks then whether it may be
 * answered; who hands the place over forbids it first and looks then whether there is one: so none is between the two.
 */
@ThreadSafe
public final class OpenWrites {
    private final AtomicInteger open = new AtomicInteger();

    /** None yet. */
    public OpenWrites() {}

    /** One begins; its {@link #counted reply} or {@link #end} ends it. */
    void begin() {
        open.incrementAndGet();
    }

    /** One that was begun is not answered here. */
    void end() {
        open.decrementAndGet();
    }

    /** Whether there is none. */
    public boolean isNone() {
        return open.get() == 0;
    }

    /** The reply of one that was begun: with the answer it ends. */
    <R extends Record> Reply<R> counted(Reply<R> reply) {
        return new Counted<>(reply);
    }

    private final class Counted<R extends Record> implements Reply<R> {
        private final Reply<R> reply;
        private final AtomicBoolean over = new AtomicBoolean();

        Counted(Reply<R> reply) {
            this.reply = reply;
        }

        private void over() {
            if (over.compareAndSet(false, true)) {
                end();
            }
        }

        @Override
        public void send(int code, @Nullable String remark, @Nullable R header, @Nullable Payload body) {
            reply.send(code, remark, header, body);
            over();
        }

        @Override
        public void carriedOut() {
            over();
        }

        @Override
        public void failed(RuntimeException cause) {
            reply.failed(cause);
            over();
        }

        @Override
        public void resume(Runnable step) {
            reply.resume(step);
        }
    }
}
