package dev.perigee.broker.timer;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;

/** A waiting message in the window: where it lies, and what is being done with it. */
@OwnedBy("view loop")
final class WaitingMessage {
    /** What is being done. FIRING, CARRIED and RECALLED are claims (R13): nobody else may deliver, copy or close it meanwhile. */
    enum State {
        WAITING,
        /** Its delivery or its closing is on its way to the log. */
        FIRING,
        /** That failed; it is tried again. */
        FAILED,
        /** A copy is on its way to the log, because its frame must go (R14). */
        CARRIED,
        /** The fact that it was taken back is on its way to the log. */
        RECALLED
    }

    final long dueMs;
    final long birth;
    /** By what it can be recalled, see {@link RecallHash}. */
    final long recallHash;

    private long offset;
    private int sizeBytes;
    private State state = State.WAITING;
    /** Monotonic; when a failed one is tried again. */
    private long retryAtMs;

    WaitingMessage(long dueMs, long birth, long offset, int sizeBytes, long recallHash) {
        this.recallHash = recallHash;
        this.dueMs = dueMs;
        this.birth = birth;
        this.offset = offset;
        this.sizeBytes = sizeBytes;
    }

    /** As a fact names it. */
    TimerRef ref() {
        return new TimerRef(dueMs, birth, offset, recallHash);
    }

    /** The same, as one that nothing is done with. */
    WaitingMessage copy() {
        return new WaitingMessage(dueMs, birth, offset, sizeBytes, recallHash);
    }

    long offset() {
        return offset;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    long retryAtMs() {
        return retryAtMs;
    }

    boolean is(State asked) {
        return state == asked;
    }

    void enter(State next) {
        state = next;
    }

    void failed(long tryAgainAtMs) {
        state = State.FAILED;
        retryAtMs = tryAgainAtMs;
    }

    /** A copy of it was applied. */
    void moved(long newOffset, int newSizeBytes) {
        offset = newOffset;
        sizeBytes = newSizeBytes;
        state = State.WAITING;
    }
}
