package dev.perigee.remoting.call;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FrameHeader;
import dev.perigee.protocol.rpc.Rpc;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call from the moment it is made until it is answered or has failed. It may be made on any thread; from the moment it
 * is registered with a connection only that connection's event loop touches it.
 *
 * @param <Q> request header type
 * @param <R> response header type
 */
@OwnedBy("event loop")
public final class PendingCall<Q extends Record, R extends Record> {
    private final Rpc<Q, R> rpc;
    private final Q header;
    private final byte @Nullable [] body;
    private final Deadline deadline;
    private final String address;
    private final CompletableFuture<Answer<R>> future = new CompletableFuture<>();
    private boolean mayGoElsewhere;

    int opaque;

    @Nullable
    PendingCalls table;

    int wheelSlot = DeadlineWheel.NOWHERE;

    @Nullable
    PendingCall<?, ?> previousInSlot;

    @Nullable
    PendingCall<?, ?> nextInSlot;

    public PendingCall(Rpc<Q, R> rpc, Q header, byte @Nullable [] body, String address, Deadline deadline) {
        this.rpc = rpc;
        this.header = header;
        this.body = body != null && body.length == 0 ? null : body;
        this.address = address;
        this.deadline = deadline;
    }

    /** What is called. */
    public Rpc<Q, R> rpc() {
        return rpc;
    }

    /** The header of the request. */
    public Q header() {
        return header;
    }

    /** The body of the request, null for none. The array itself; it must not be changed. */
    public byte @Nullable [] body() {
        return body;
    }

    /** The length of the body; 0 for none. */
    public int bodyBytes() {
        byte[] bytes = body;
        return bytes == null ? 0 : bytes.length;
    }

    /** When the call has to be over, all attempts together. */
    public Deadline deadline() {
        return deadline;
    }

    /** What the caller waits for; when there is no answer, it fails with a {@link RemotingException}. */
    public CompletableFuture<Answer<R>> future() {
        return future;
    }

    /** Allows one more attempt over another connection when the peer says go away. Before the call is registered. */
    public void allowGoingElsewhere() {
        mayGoElsewhere = true;
    }

    /** Whether one more attempt is allowed; uses it up. */
    public boolean takeGoingElsewhere() {
        boolean may = mayGoElsewhere;
        mayGoElsewhere = false;
        return may;
    }

    /** Completes the call with what the peer answered. */
    public void answer(FrameHeader answer, byte[] answerBody) {
        R answerHeader = null;
        try {
            answerHeader = rpc.response().decode(answer.fields());
        } catch (BadFieldException e) {
            if (answer.code() == 0) {
                future.completeExceptionally(
                        new RemotingException.AnswerUnreadable(address, rpc.name(), String.valueOf(e.getMessage())));
                return;
            }
        }
        future.complete(new Answer<>(answer.code(), answer.remark(), answerHeader, answerBody, answer.version()));
    }

    /** Fails the call because its deadline has passed. Does nothing when it has ended, as all of these. */
    public void failTimeout() {
        failTimeout("");
    }

    /**
     * As above.
     *
     * @param detail the end of the text, with the mark it begins with
     */
    public void failTimeout(String detail) {
        future.completeExceptionally(new RemotingException.CallTimeout(address, rpc.name(), deadline, detail));
    }

    /**
     * Fails the call because its connection has ended.
     *
     * @param reason why, for people
     */
    public void failClosed(String reason) {
        future.completeExceptionally(
                new RemotingException.ConnectionClosed(address, rpc.name(), deadline.elapsedMs(), reason));
    }

    /**
     * Fails the call because there is no place for it; it was not sent.
     *
     * @param limit which limit was met, and its value
     */
    public void failTooMany(String limit) {
        future.completeExceptionally(new RemotingException.TooManyCalls(address, rpc.name(), limit));
    }

    /** Fails the call because its frame of that many bytes is over the limit; it was not sent. */
    public void failTooLarge(long sizeBytes, int limitBytes) {
        future.completeExceptionally(new RemotingException.FrameTooLarge(address, rpc.name(), sizeBytes, limitBytes));
    }

    /** Fails the call for another reason, which the caller sees as it is. */
    public void fail(Throwable cause) {
        future.completeExceptionally(cause);
    }
}
