package dev.perigee.remoting;

import dev.perigee.remoting.transport.Payload;
import org.jspecify.annotations.Nullable;

/**
 * The way back for the answer to one request. Exactly one of the methods is to be called, once, from any thread; a further
 * call is ignored and counted, and its payload released. Replies to one-way requests go nowhere. A payload is always taken
 * over, also when the connection is gone.
 *
 * @param <R> response header type
 */
public interface Reply<R extends Record> {
    /** Answers with this code. */
    void send(int code, @Nullable String remark, @Nullable R header, @Nullable Payload body);

    /** Answers with code 0. */
    default void ok(R header) {
        send(0, null, header, null);
    }

    /** Answers with code 0 and a body. */
    default void ok(R header, Payload body) {
        send(0, null, header, body);
    }

    /** Answers with a code that says what was refused, and why. */
    default void fail(int code, String remark) {
        send(code, remark, null, null);
    }

    /** A step towards the answer failed: logs the cause, within limits, and answers with code 1, unless an answer was given before. */
    void failed(RuntimeException cause);

    /** What was asked is done, and only the answer waits for something else: who waits for what is under way need not wait for this. */
    default void carriedOut() {
        // Most answers are given when it is.
    }

    /**
     * Takes a step towards the answer on this thread: whatever is thrown there, the request is answered and nothing is
     * thrown on. For everything that goes on with a request after its handler has returned.
     */
    default void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            failed(e);
        } catch (InternalError e) {
            failed(ofDisk(e));
        }
    }

    /** What the JVM throws when the disk does not give the bytes behind a mapped file. */
    static RuntimeException ofDisk(InternalError cause) {
        return new IllegalStateException("the disk did not give what was to be read: " + cause.getMessage(), cause);
    }

    /**
     * Goes on with the request on its connection's event loop, after what that loop is doing now and never inside this
     * call, guarded as by {@link #guard}. From any thread.
     */
    void resume(Runnable step);
}
