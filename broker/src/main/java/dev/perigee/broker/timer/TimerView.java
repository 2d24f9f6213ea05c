package dev.perigee.broker.timer;

import dev.perigee.broker.carry.LivePlaces;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.mark.MarkText;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.fact.TimerShifted;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Which messages wait for their time, folded over the marks of frames (see {@link TimerMark}) and {@code TimerClosed}; and
 * which were recalled, as far back as the log goes. They lie in a {@link ViewStore}, which a broker opens when it starts, for
 * opening one waits for the disk; a view that was not told to opens it with the first of them. The log is read by nobody here:
 * a delivery names what it closes.
 */
@OwnedBy("view loop")
public final class TimerView implements LogView {
    /** The name of the view and of its store. */
    public static final String NAME = "timers";

    /** Of the checkpoint and of the entries in the store: of another version all is rebuilt from the log. */
    private static final int VERSION = 4;

    private final TimerEntries entries;
    private final WaitingPlaces places;
    private final TimerWindow window;
    /** An empty view whose store is opened there. */
    public TimerView(ViewStores stores) {
        this(stores, new TimerWindow());
    }

    TimerView(ViewStores stores, TimerWindow window) {
        this(stores, window, LivePlaces.MAX_REMEMBERED);
    }

    /** @param maxRemembered places that are remembered at most */
    TimerView(ViewStores stores, TimerWindow window, int maxRemembered) {
        this.entries = new TimerEntries(stores);
        this.window = window;
        this.places = new WaitingPlaces(entries, window, maxRemembered);
    }

    /** What is due soon, with the claims. On the view loop only. */
    TimerWindow window() {
        places.letGoFailures();
        return window;
    }

    /** The store, null while nothing ever waited. On the view loop; others may read from it. */
    @Nullable
    ViewStore store() {
        return entries.store();
    }

    /**
     * Opens the store if nothing waited yet, so that the view loop never has to: that makes files and waits for the disk.
     * Blocks; when the log is replayed and before the loops start.
     */
    public void prepare() throws IOException {
        entries.openIfNone();
    }

    /** What the log said last of the clock of what waits, messages and halves of transactions, whether or not anything does. */
    public ClockNote told() {
        return entries.told();
    }

    /** What was recalled by facts below that offset is forgotten. */
    long forgottenBelow() {
        return entries.forgottenBelow();
    }

    /** The byte after the last entry that was folded in; 0 before the first. */
    long reachedOffset() {
        LogPosition position = entries.reached();
        return position == null ? 0 : position.offset();
    }

    /** Whether nothing waits. May wait for the disk; when the log is replayed and before the loops start. */
    public boolean isEmpty() {
        boolean[] empty = {true};
        entries.scan(TimerKeys.due(0, 0), TimerKeys.dueEnd(), (key, value) -> {
            empty[0] = false;
            return false;
        });
        return empty[0];
    }

    /** Lets the store go; when the loops have ended. Blocks. */
    public void close() throws IOException {
        entries.close();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void apply(LogEntry entry) {
        String text = entry.properties().timerMark();
        String half = entry.properties().halfMark();
        if (text != null) {
            marked(entry, TimerMark.parse(text));
        } else if (half != null) {
            halfMarked(entry, half);
        } else if (entry.isFact()) {
            Fact fact = entry.fact();
            if (fact instanceof TimerClosed closed) {
                closed(closed, entry.offset());
            } else if (fact instanceof TimerShifted shifted) {
                entries.told(new ClockNote(shifted.shiftMs(), shifted.timerMs()), true);
            } else if (fact instanceof HalvesChecked checked && checked.atMs() != 0) {
                entries.told(new ClockNote(told().shiftMs(), checked.atMs()), true); // the next check goes by that time
            }
        }
    }

    /**
     * The mark of a half of a transaction tells of the clock, by which it waits too. One that does not say what that clock said is of a log
     * from before, or repeats that nothing was told: that it names no shift does not mean that there was none.
     */
    private void halfMarked(LogEntry entry, String mark) {
        if (!entry.topic().equals(SystemTopic.HALF)) {
            return; // of a message made of it, which tells nothing
        }
        MarkText text = MarkText.of(mark);
        try {
            ClockNote note = text.clock();
            if (note.timerMs() != ClockNote.UNTOLD) {
                entries.told(note, text.isFirst());
            }
        } catch (NumberFormatException e) {
            // of something that is no mark, which tells nothing
        }
    }

    private void marked(LogEntry entry, @Nullable TimerMark mark) {
        if (mark == null) {
            return; // written by a user, before the name was reserved
        }
        if (!SystemTopic.isWaiting(entry.topic())) {
            if (!mark.isFirst()) {
                close(new TimerRef(mark.dueMs(), mark.birth(), mark.readAt(), mark.recallHash()));
            }
            return;
        }
        if (!mark.isFirst()) {
            entries.left(mark.readAt());
            places.left(mark.readAt());
        }
        long birth = mark.isFirst() ? entry.offset() : mark.birth();
        WaitingMessage message =
                new WaitingMessage(mark.dueMs(), birth, entry.offset(), entry.sizeBytes(), mark.recallHash());
        entries.put(message);
        places.put(message);
        entries.told(mark.clock(), mark.isFirst());
        window.added(message);
    }

    private void closed(TimerClosed fact, long factOffset) {
        for (TimerRef each : fact.entries()) {
            close(each);
            if (fact.recalled() && each.recallHash() != RecallHash.NONE) {
                entries.recalled(each.recallHash(), factOffset);
            }
        }
    }

    /** Does nothing for one that is not known (R14). */
    private void close(TimerRef closed) {
        entries.delete(closed);
        places.left(closed.offset());
        window.closed(closed.birth());
    }

    @Override
    public void reached(LogPosition position) {
        entries.reached(position);
    }

    @Override
    public void passEnded() {
        entries.passEnded();
        places.passEnded();
    }

    @Override
    public ViewImage freeze() {
        entries.write(); // its place, also when nothing changed
        ViewStore open = entries.store();
        long lowest = places.lowest();
        return new ViewImage() {
            @Override
            public boolean forceSome(Disk disk) throws IOException {
                if (open != null) {
                    open.flush();
                }
                return false;
            }

            @Override
            public void write(DataOutput target) throws IOException {
                target.writeInt(VERSION);
                target.writeBoolean(open != null);
                target.writeLong(lowest);
            }
        };
    }

    @Override
    public void restore(DataInput state) throws IOException {
        int version = state.readInt();
        if (version != VERSION) {
            throw new IOException("checkpoint of " + NAME + " has version " + version + ", known is " + VERSION);
        }
        boolean stored = state.readBoolean();
        places.restore(state.readLong());
        if (stored) {
            entries.restore();
            window.unknownStore();
        }
    }

    @Override
    public Optional<LogPosition> ownPosition() {
        ViewStore open = entries.store();
        return open == null ? Optional.empty() : open.position();
    }

    @Override
    public void forget() throws IOException {
        window.clear();
        places.forget();
        entries.forget();
    }

    /** Ends every claim: another broker may have cut off what it was for (R33). What is due is looked for in the store. On the view loop. */
    public void endClaims() {
        window.clear();
        window.unknownStore();
    }

    @Override
    public long firstLiveOffset() {
        return places.firstLiveOffset();
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        places.carryForward(belowOffset, sink);
    }

    @Override
    public PacedTask lookAhead(long startOffset) {
        return places.lookAhead(startOffset);
    }

    /** What lay below is gone, though it was still wanted: only when files were taken away by hand. */
    @Override
    public void trimmed(long startOffset) {
        places.cut(startOffset, gone -> close(gone.ref()));
        entries.forgetRecalled(startOffset);
    }

    @Override
    public String fingerprint() {
        CRC32C crc = new CRC32C();
        int waiting = sum(crc, TimerKeys.due(0, 0), TimerKeys.dueEnd(), 0);
        sum(crc, TimerKeys.place(0), TimerKeys.placeEnd(), 0);
        sum(crc, TimerKeys.named(0, 0), TimerKeys.namedEnd(), 0);
        int recalled = sum(crc, TimerKeys.recalled(0, 0, 0), TimerKeys.recalledEnd(), entries.forgottenBelow());
        return waiting + recalled == 0
                ? ""
                : waiting + " waiting, " + recalled + " recalled, crc " + Long.toHexString(crc.getValue());
    }

    /** Sums up a kind of entries, and counts them; of those that name a fact, only what is not forgotten. */
    private int sum(CRC32C crc, byte[] from, byte[] to, long forgottenBelow) {
        int[] count = {0};
        entries.scan(from, to, (key, value) -> {
            if (forgottenBelow == 0 || TimerKeys.longAt(key, TimerKeys.FACT_AT) >= forgottenBelow) {
                crc.update(key);
                crc.update(value);
                count[0]++;
            }
            return true;
        });
        return count[0];
    }
}
