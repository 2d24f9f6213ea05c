package dev.perigee.broker.timer;

import dev.perigee.broker.mark.ClockNote;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.view.LogPosition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The entries of waiting messages in their store, see {@link TimerKeys}: gathered during a pass and written at its end. The
 * store is opened with the first of them, unless that was done before.
 */
@OwnedBy("view loop")
final class TimerEntries {
    private final ViewStores stores;

    /** Set by the view loop; others read in it. */
    private volatile @Nullable ViewStore store;

    private ViewBatch batch = new ViewBatch();
    private @Nullable LogPosition reached;
    private long shiftMs;
    private long timerMs = TimerMark.UNTOLD;

    /** Whether a first frame, or a fact, told of the clock, and not only copies. */
    private boolean toldByFirst;

    private long forgottenBelow;

    /** Whether these four are to be written. */
    private boolean stateChanged;

    TimerEntries(ViewStores stores) {
        this.stores = stores;
    }

    /** The store, null while nothing ever waited. */
    @Nullable
    ViewStore store() {
        return store;
    }

    /** Where the view stands after this pass; null before the first one. */
    @Nullable
    LogPosition reached() {
        return reached;
    }

    /** What the log said of the clock last. */
    ClockNote told() {
        return new ClockNote(shiftMs, timerMs);
    }

    /** What was recalled by facts below that offset is forgotten, though it may still be found. */
    long forgottenBelow() {
        return forgottenBelow;
    }

    void put(WaitingMessage message) {
        open();
        batch.put(
                TimerKeys.due(message.dueMs, message.birth),
                TimerKeys.dueValue(message.offset(), message.sizeBytes(), message.recallHash));
        batch.put(TimerKeys.place(message.offset()), TimerKeys.placeValue(message));
        if (message.recallHash != RecallHash.NONE) {
            batch.put(TimerKeys.named(message.recallHash, message.birth), TimerKeys.namedValue(message));
        }
    }

    private void open() {
        try {
            openIfNone();
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the waiting messages cannot be made", e);
        }
    }

    /** A copy took the place of the frame at that offset. */
    void left(long offset) {
        batch.delete(TimerKeys.place(offset));
    }

    void delete(TimerRef closed) {
        batch.delete(TimerKeys.due(closed.dueMs(), closed.birth()));
        batch.delete(TimerKeys.place(closed.offset()));
        if (closed.recallHash() != RecallHash.NONE) {
            batch.delete(TimerKeys.named(closed.recallHash(), closed.birth()));
        }
    }

    /** It was recalled by the fact at that offset, which is remembered as long as the fact is in the log. */
    void recalled(long hash, long factOffset) {
        open();
        batch.put(TimerKeys.recalled(hash, factOffset), TimerKeys.noValue());
    }

    /** Forgets what was recalled by facts below that offset: whole stretches of the log go as one range. */
    void forgetRecalled(long belowOffset) {
        if (belowOffset <= forgottenBelow) {
            return;
        }
        long stretch = TimerKeys.stretch(belowOffset);
        if (stretch > TimerKeys.stretch(forgottenBelow)) {
            batch.deleteRange(TimerKeys.recalled(0, 0, 0), TimerKeys.recalled(stretch, 0, 0));
        }
        forgottenBelow = belowOffset;
        stateChanged = true;
    }

    /**
     * What a mark says of the clock. Copies tell of it as it was in their time; they count as long as nothing newer does, as in a log
     * whose first frames went.
     *
     * @param first whether this was said by a first frame, or a fact
     */
    void told(ClockNote note, boolean first) {
        if (!first && toldByFirst) {
            return;
        }
        shiftMs = note.shiftMs();
        timerMs = note.timerMs() == ClockNote.UNTOLD ? timerMs : note.timerMs();
        toldByFirst = first;
        stateChanged = true;
    }

    void reached(LogPosition position) {
        reached = position;
    }

    /** Writes what the pass gathered. */
    void passEnded() {
        if (batch.count() > 0 || stateChanged) {
            write();
        }
    }

    /** Writes what was gathered, and how far that came. */
    void write() {
        ViewStore open = store;
        LogPosition position = reached;
        ViewBatch full = batch;
        if (position == null) {
            return; // with the first pass
        }
        batch = new ViewBatch();
        if (open == null) {
            return; // nothing was there to be closed
        }
        if (stateChanged) {
            full.put(TimerKeys.state(), TimerKeys.stateValue(shiftMs, timerMs, forgottenBelow, toldByFirst));
            stateChanged = false;
        }
        try {
            open.write(full, position);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the store of the waiting messages fails, which the log cannot mend here", e);
        }
    }

    /** Walks over keys, as {@link ViewStore#scan} does; over none while there is no store. */
    void scan(byte[] from, byte[] to, KeyVisitor visitor) {
        ViewStore open = store;
        if (open == null) {
            return;
        }
        try {
            open.scan(from, to, visitor);
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the waiting messages cannot be read", e);
        }
    }

    /** Makes the store if there is none. Blocks. */
    void openIfNone() throws IOException {
        if (store == null) {
            stores.remove(TimerView.NAME); // of a run that left no checkpoint of it
            store = stores.open(TimerView.NAME);
        }
    }

    /** Opens the store of an earlier run. Blocks. */
    void restore() throws IOException {
        if (!stores.exists(TimerView.NAME)) {
            throw new IOException("the store of " + TimerView.NAME + " is gone");
        }
        ViewStore open = stores.open(TimerView.NAME);
        store = open;
        if (open.position().isEmpty()) {
            throw new IOException("the store of " + TimerView.NAME + " is empty");
        }
        Optional<byte[]> state = open.get(TimerKeys.state());
        shiftMs = state.map(TimerKeys::shiftMs).orElse(0L);
        timerMs = state.map(TimerKeys::timerMs).orElse(TimerMark.UNTOLD);
        forgottenBelow = state.map(TimerKeys::forgottenBelow).orElse(0L);
        toldByFirst = state.map(TimerKeys::isToldByFirst).orElse(false);
    }

    /** Removes the store. Blocks. */
    void forget() throws IOException {
        ViewStore open = store;
        store = null;
        batch = new ViewBatch();
        shiftMs = 0;
        timerMs = TimerMark.UNTOLD;
        forgottenBelow = 0;
        toldByFirst = false;
        stateChanged = false;
        if (open == null) {
            stores.remove(TimerView.NAME);
        } else {
            open.destroy();
        }
    }

    /** Lets the store go. Blocks. */
    void close() throws IOException {
        ViewStore open = store;
        if (open != null) {
            open.close();
        }
    }
}
