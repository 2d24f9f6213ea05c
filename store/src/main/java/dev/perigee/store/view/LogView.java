package dev.perigee.store.view;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.PacedTask;
import java.io.DataInput;
import java.io.IOException;
import java.util.Optional;

/**
 * A fold over the confirmed entries of the log. Deterministic: no clock, no chance, no IO besides its own files, and the
 * same state whether it saw the log live, restarted in between, or was rebuilt from the log alone.
 *
 * <p>All methods but {@link #lookAhead} are called on the view loop, or by the store before that loop starts. The loop knows how far each view
 * has applied; entries come in log order, each exactly once after {@link #restore} or {@link #forget}. What other
 * threads read, a view publishes as an immutable snapshot behind a volatile, or as append-only data behind a volatile
 * limit.
 */
public interface LogView {
    /** Where a view hands what it restates. On the view loop. */
    @FunctionalInterface
    interface CarrySink {
        /** Appends a fact. */
        void fact(Fact fact);

        /**
         * Appends a copy of the frame at an offset, later: it is read elsewhere.
         *
         * @param offset where a frame lies that this view has applied
         * @param copy makes the copy
         */
        default void frame(long offset, FrameCopy copy) {
            throw new IllegalStateException("the frame at " + offset + " is to be copied where only facts are taken");
        }
    }

    /** Makes the copy of a frame that is carried forward. */
    interface FrameCopy {
        /** The parts of the copy; may borrow from the frame. Any thread; must not touch the view. */
        FrameDraft of(MessageFrame frame);

        /** The copy is not in the log, for this time. Any thread. */
        default void failed() {}

        /**
         * The frame is damaged, so that there will never be a copy.
         *
         * @return the fact by which the view lets go of it; it is appended instead of the copy. Any thread
         */
        Fact lost();
    }

    /** Its name, unique in the store, of small letters and digits: names its checkpoint file and its log lines. */
    String name();

    /**
     * Whether the view can take the entries of another pass; while one of them cannot, no view gets any, and the loop asks again
     * every {@value ViewLoop#ROOM_CHECK_MS} ms. For a view whose files may be slower than the log, or fail.
     */
    default boolean hasRoom() {
        return true;
    }

    /**
     * Folds in one entry. Must not block. A failure stops the node: it is thrown for broken invariants only.
     *
     * @param entry valid during this call only
     */
    void apply(LogEntry entry);

    /** All entries of the pass are applied; the place to publish a snapshot once per pass. */
    default void passEnded() {}

    /**
     * Freezes the state for a checkpoint. Cheap: the preparer writes it, while this view goes on. Called again only after
     * the former image was written or abandoned.
     */
    ViewImage freeze();

    /**
     * Takes over the state a {@link ViewImage} of this view wrote. Called at most once, before any entry, on a new view.
     *
     * @throws IOException when the state or the files it speaks of are not usable; {@link #forget} follows, and the log
     *     is replayed
     */
    void restore(DataInput state) throws IOException;

    /** Becomes empty as on the first day and removes its files. The log is replayed from its start afterwards. */
    void forget() throws IOException;

    /**
     * The offset of the oldest entry that still matters to this view, or one below which none does where it only knows so far;
     * {@link Long#MAX_VALUE} when no old one does.
     * Retention asks it before it trims; may take time proportional to the view.
     */
    default long firstLiveOffset() {
        return Long.MAX_VALUE;
    }

    /**
     * Restates what this view still needs from entries below an offset, so that they may go: hands each such fact or frame
     * to the sink, which appends it. May be called again before those facts come back as entries, and then restates them again;
     * a fold takes that without harm. May take time proportional to the view.
     */
    default void carryForward(long belowOffset, CarrySink sink) {}

    /**
     * Called after {@link #restore}: the log begins here. That is news only when files were taken away by hand, for trimmed
     * ones go when every checkpoint knows of it.
     */
    default void begunAt(long startOffset) {
        trimmed(startOffset);
    }

    /** The log now starts here: what points below it is gone. A function of the log: called when LogTrimmed is applied. */
    default void trimmed(long startOffset) {}

    /**
     * What {@link #trimmed} at this offset will want to know from files, to be looked up before, so that it does not wait for
     * the disk. Unlike all others called on the preparer, where the task is run, while this view goes on; only a help: where
     * nobody looked ahead, as in a replay, {@code trimmed} finds out by itself.
     */
    default PacedTask lookAhead(long startOffset) {
        return () -> false;
    }

    /**
     * How far the view's own durable store has come, for a view whose state is there and not in its checkpoint (R16). Asked
     * after {@link #restore}. Empty for a view that has no such store, or none yet.
     */
    default Optional<LogPosition> ownPosition() {
        return Optional.empty();
    }

    /**
     * Where this view stands after the pass; for a view that keeps its place in a store of its own. Called before {@link
     * #passEnded}.
     */
    default void reached(LogPosition position) {}

    /** A text that is equal for equal states: what <em>rebuild equals live</em> compares. Slow. */
    default String fingerprint() {
        return "";
    }
}
