package dev.perigee.broker.member;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.Reply;
import java.util.concurrent.atomic.AtomicInteger;

/** One request that is handed over, with its body, from its coming until it is answered and nothing holds its bytes any more. */
@ThreadSafe
final class ForwardedCall<Q extends Record, R extends Record> {
    final Rpc<Q, R> rpc;
    final Q header;
    final byte[] body;
    /** Those of its header and body. */
    final long bytes;

    final Reply<R> reply;
    /** The how manieth it is. */
    final long number;

    /** Whoever it is asked of, it is answered by then. */
    final long endMs;

    private volatile long untilMs;
    /** Itself while it is not answered, and whoever sends it. */
    private final AtomicInteger holders = new AtomicInteger(1);

    /**
     * One that came.
     *
     * @param untilMs until when it is kept while nobody takes it
     * @param endMs until when it may be asked of one after the other
     */
    ForwardedCall(
            ForwardedFields.Handed<Q, R> handed,
            Q header,
            byte[] body,
            Reply<R> reply,
            long number,
            long untilMs,
            long endMs) {
        this.rpc = handed.rpc();
        this.header = header;
        this.body = body;
        this.bytes = body.length + handed.headerBytes();
        this.reply = reply;
        this.number = number;
        this.untilMs = untilMs;
        this.endMs = endMs;
    }

    long number() {
        return number;
    }

    /** Until when it is kept while nobody takes it. */
    long untilMs() {
        return untilMs;
    }

    /** It is kept once more; not while it is kept. */
    void keepUntil(long ms) {
        untilMs = Math.min(ms, endMs);
    }

    /** It is sent: its bytes are held until {@link #letGo}. */
    void hold() {
        holders.incrementAndGet();
    }

    /** It is answered, or who sent it has ended; gives whether that was the last one that held its bytes. */
    boolean letGo() {
        return holders.decrementAndGet() == 0;
    }
}
