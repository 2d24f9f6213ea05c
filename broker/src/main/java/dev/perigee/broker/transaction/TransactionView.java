package dev.perigee.broker.transaction;

import dev.perigee.broker.transaction.HalfWindow.Outcome;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Which halves of transactions are undecided, folded over the marks of frames (see {@link HalfMark}), {@code HalfRolledBack} and
 * {@code HalvesChecked}. The log is read by nobody here: whatever closes or changes a half says how it stood.
 */
@OwnedBy("view loop")
public final class TransactionView implements LogView {
    /** The name of the view and of its store. */
    public static final String NAME = "transactions";

    /** Copies of one round; the next round takes the next ones. */
    static final int MAX_CARRIED = 1_000;

    /** Places looked at per step of {@link #lookAhead}. */
    private static final int LOOK_AHEAD_PLACES = 1_000;

    private final HalfStore halves;
    private final HalfWindow window = new HalfWindow();
    /** Births of copies that came not to be, from any thread. */
    private final Queue<Long> carryFailures = new ConcurrentLinkedQueue<>();

    /** An empty view whose store is opened there. */
    public TransactionView(ViewStores stores) {
        this.halves = new HalfStore(stores, NAME);
    }

    /** The claims, and what is in memory. On the view loop only. */
    HalfWindow window() {
        carryFailures();
        return window;
    }

    /** The store, null while there never was a half. Any thread; others than the view loop may only read from it. */
    @Nullable
    ViewStore store() {
        return halves.open();
    }

    /**
     * Opens the store if there was no half yet, so that the view loop never has to: that makes files and waits for the disk.
     * Blocks; when the log is replayed and before the loops start.
     */
    public void prepare() throws IOException {
        halves.prepare();
    }

    /** Lets the store go; when the loops have ended. Blocks. */
    public void close() throws IOException {
        halves.close();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void apply(LogEntry entry) {
        String text = entry.properties().halfMark();
        if (text != null) {
            marked(entry, HalfMark.parse(text));
        } else if (entry.isFact()) {
            Fact fact = entry.fact();
            if (fact instanceof HalfRolledBack rolledBack) {
                rolledBack.entries().forEach(this::rolledBack);
            } else if (fact instanceof HalvesChecked checked) {
                checked.entries().forEach(ref -> checked(ref, checked.nextCheckMs(), checked.counted()));
            }
        }
    }

    private void marked(LogEntry entry, @Nullable HalfMark mark) {
        if (mark == null) {
            return; // written by a user, before the name was reserved
        }
        boolean half = entry.topic().equals(SystemTopic.HALF);
        switch (mark.kind()) {
            case FIRST -> {
                if (half) {
                    put(new Half(
                            entry.offset(),
                            entry.offset(),
                            entry.sizeBytes(),
                            entry.queueOffset(),
                            mark.nextCheckMs(),
                            0));
                }
            }
            case COPY -> {
                if (half) {
                    halves.remove(mark.birth(), mark.nextCheckMs(), mark.readAt());
                    put(new Half(
                            mark.birth(),
                            entry.offset(),
                            entry.sizeBytes(),
                            mark.queueOffset(),
                            mark.nextCheckMs(),
                            mark.checks()));
                }
            }
            case COMMITTED -> close(mark.birth(), mark.nextCheckMs(), mark.readAt(), Outcome.COMMITTED);
            case SET_ASIDE -> close(mark.birth(), mark.nextCheckMs(), mark.readAt(), Outcome.SET_ASIDE);
        }
    }

    private void put(Half half) {
        halves.put(half);
        window.changed(half);
    }

    /** Does nothing for one that is not known (R14). */
    private void close(long birth, long nextCheckMs, long offset, Outcome outcome) {
        halves.remove(birth, nextCheckMs, offset);
        window.closed(birth, outcome, offset);
    }

    private void rolledBack(HalfRef ref) {
        close(ref.birth(), ref.nextCheckMs(), ref.offset(), Outcome.ROLLED_BACK);
    }

    private void checked(HalfRef ref, long nextCheckMs, boolean counted) {
        halves.remove(ref.birth(), ref.nextCheckMs(), ref.offset());
        put(Half.of(ref).checked(nextCheckMs, counted));
    }

    @Override
    public void reached(LogPosition position) {
        halves.reached(position);
    }

    @Override
    public void passEnded() {
        halves.passEnded();
    }

    @Override
    public ViewImage freeze() {
        return halves.freeze();
    }

    @Override
    public void restore(DataInput state) throws IOException {
        if (halves.restore(state)) {
            window.unknownStore();
        }
    }

    @Override
    public Optional<LogPosition> ownPosition() {
        return halves.ownPosition();
    }

    @Override
    public void forget() throws IOException {
        window.clear();
        halves.forget();
    }

    @Override
    public long firstLiveOffset() {
        return halves.firstPlace();
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        carryFailures();
        int[] count = {0};
        halves.places(belowOffset, (key, value) -> {
            Half half = HalfKeys.half(value);
            if (!window.isClaimed(half.birth())) {
                window.claim(half.birth());
                sink.frame(half.offset(), new Copy(half));
                count[0]++;
            }
            return count[0] < MAX_CARRIED;
        });
    }

    /** Reads what {@link #carryForward} will walk over, so that the store need not get it from the disk then. */
    @Override
    public PacedTask lookAhead(long startOffset) {
        long[] from = {0};
        int[] seen = {0};
        return () -> {
            ViewStore open = store();
            int limit = seen[0] + LOOK_AHEAD_PLACES;
            if (open != null) {
                open.scan(HalfKeys.place(from[0]), HalfKeys.place(startOffset), (key, value) -> {
                    from[0] = HalfKeys.half(value).offset() + 1;
                    return ++seen[0] < limit;
                });
            }
            return seen[0] == limit && limit < MAX_CARRIED;
        };
    }

    /** Makes the copy of a half whose frame must go. */
    private final class Copy implements FrameCopy {
        private final Half half;

        Copy(Half half) {
            this.half = half;
        }

        @Override
        public FrameDraft of(MessageFrame frame) {
            return HalfFrames.copy(frame, half);
        }

        @Override
        public void failed() {
            carryFailures.add(half.birth());
        }

        @Override
        public Fact lost() {
            return new HalfRolledBack(List.of(half.ref()), "its frame is damaged");
        }
    }

    private void carryFailures() {
        for (Long birth = carryFailures.poll(); birth != null; birth = carryFailures.poll()) {
            window.letGo(birth);
        }
    }

    /** What lay below is gone, though it was still wanted: only when files were taken away by hand. */
    @Override
    public void trimmed(long startOffset) {
        for (Half half : halves.below(startOffset)) {
            halves.remove(half.birth(), half.nextCheckMs(), half.offset());
            window.gone(half.birth());
        }
    }

    @Override
    public String fingerprint() {
        return halves.fingerprint();
    }
}
