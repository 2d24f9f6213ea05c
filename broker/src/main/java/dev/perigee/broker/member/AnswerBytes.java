package dev.perigee.broker.member;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.Payload;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The bodies of answers that came from the leader and are not sent to their clients yet. */
@ThreadSafe
final class AnswerBytes {
    private final long limit;
    private final AtomicLong bytes = new AtomicLong();

    /** @param limit bytes of them, for what may be refused */
    AnswerBytes(long limit) {
        this.limit = limit;
    }

    /** Whether there are as many as there may be. */
    boolean isFull() {
        return bytes.get() >= limit;
    }

    long limit() {
        return limit;
    }

    long count() {
        return bytes.get();
    }

    /** The body of an answer, counted until it is sent or dropped; null when there is no room for it. */
    @Nullable
    Payload take(byte[] body) {
        if (bytes.addAndGet(body.length) > limit) {
            bytes.addAndGet(-body.length);
            return null;
        }
        return new Counted(body);
    }

    /** As {@link #take}, whether there is room or not. */
    Payload takeAnyhow(byte[] body) {
        bytes.addAndGet(body.length);
        return new Counted(body);
    }

    private final class Counted implements Payload {
        private final Payload body;

        Counted(byte[] bytes) {
            body = Payload.of(bytes);
        }

        @Override
        public int sizeBytes() {
            return body.sizeBytes();
        }

        @Override
        public int bufferCount() {
            return body.bufferCount();
        }

        @Override
        public ByteBuffer buffer(int index) {
            return body.buffer(index);
        }

        @Override
        public void release() {
            bytes.addAndGet(-body.sizeBytes());
            body.release();
        }
    }
}
