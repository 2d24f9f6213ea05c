package dev.perigee.raft;

import dev.perigee.loop.OwnedBy;
import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.Recovered.Condition;

/** How far this node's log goes: written, durable, confirmed; and whether it once went farther. */
@OwnedBy("log loop")
final class LogState {
    private final HeldWhen heldWhen;
    private final Gathered out;
    private LogEnd end;
    private long generation;
    private long flushed;
    private long confirm;
    /** Where the log ended before the first fact about members that is not durable yet, and where the last one ends. */
    private long heldBeforeFact;

    private long factEnd;
    private boolean cutting;
    private Condition condition;

    LogState(Recovered found, HeldWhen heldWhen, Gathered out) {
        this.heldWhen = heldWhen;
        this.out = out;
        this.end = found.end();
        this.generation = found.generation();
        this.flushed = found.end().endOffset();
        this.confirm = found.confirmOffset();
        this.condition = found.condition();
    }

    LogEnd end() {
        return end;
    }

    long endOffset() {
        return end.endOffset();
    }

    long confirm() {
        return confirm;
    }

    long flushed() {
        return flushed;
    }

    /**
     * What this node answers for, by its flush policy: never more than it wrote, and of this generation only (R1). For a fact about members
     * only when it is durable, whatever the policy: who forgot with whom it is could ask all it knows of and still lead beside the
     * others (R5).
     */
    long held() {
        if (heldWhen == HeldWhen.FORCED) {
            return flushed;
        }
        return factEnd > flushed ? Math.max(heldBeforeFact, flushed) : end.endOffset();
    }

    /** A fact about members is to be in the log, behind where it ends now. */
    void factFound(long endOfFact) {
        if (factEnd <= flushed) {
            heldBeforeFact = end.endOffset();
        }
        factEnd = Math.max(factEnd, endOfFact);
    }

    /** Whether a cut is under way. */
    boolean isCutting() {
        return cutting;
    }

    Condition condition() {
        return condition;
    }

    boolean isSound() {
        return condition == Condition.SOUND;
    }

    /** It has all again that it may have forgotten (R5). */
    void restore() {
        condition = Condition.SOUND;
        out.restored();
        out.note("event=restored endOffset=" + endOffset());
    }

    void grow(LogEnd next) {
        if (!next.isAtLeast(end) || next.endOffset() < end.endOffset() || cutting) {
            throw new IllegalStateException(
                    "the log grows to " + next + ", but ends at " + end + (cutting ? " and is being cut" : ""));
        }
        end = next;
    }

    /** The log is to end here; what is behind counts for nothing from now on. */
    void beginCut(LogEnd next) {
        if (next.endOffset() < confirm) {
            throw new IllegalStateException("the log must be cut to " + next.endOffset() + ", below the confirm offset "
                    + confirm + ": bytes that were confirmed are not in the leader's log (R19)");
        }
        end = next;
        flushed = Math.min(flushed, next.endOffset());
        factEnd = Math.min(factEnd, next.endOffset());
        heldBeforeFact = Math.min(heldBeforeFact, next.endOffset());
        cutting = true;
    }

    void cut(long newGeneration, LogEnd next) {
        if (!cutting || !next.equals(end) || newGeneration <= generation) {
            throw new IllegalStateException("cut to " + next + " in generation " + newGeneration + ", expected " + end
                    + " after generation " + generation);
        }
        cutting = false;
        generation = newGeneration;
        flushed = next.endOffset();
    }

    void flushed(long flushGeneration, long endOffset) {
        if (flushGeneration == generation && !cutting) {
            flushed = Math.max(flushed, Math.min(endOffset, end.endOffset()));
        }
    }

    /** That much is confirmed; it never falls. */
    void confirm(long offset) {
        if (offset <= confirm) {
            return;
        }
        if (offset > end.endOffset()) {
            throw new IllegalStateException("confirmed up to " + offset + " of a log that ends at " + end.endOffset());
        }
        confirm = offset;
        out.confirm(offset);
    }
}
