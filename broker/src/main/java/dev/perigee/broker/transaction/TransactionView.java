package dev.perigee.broker.transaction;

import dev.perigee.broker.carry.LivePlaces;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.transaction.Outcomes.Closed;
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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which halves of transactions are undecided, and what became of those decided last, folded over the marks of frames (see {@link
 * HalfMark}), {@code HalfRolledBack} and {@code HalvesChecked}. The log is read by nobody here: whatever closes or changes a half says how it stood.
 */
@OwnedBy("view loop")
public final class TransactionView implements LogView {
    /** The name of the view and of its store. */
    public static final String NAME = "transactions";

    /** Copies of one round; the next round takes the next ones. */
    static final int MAX_CARRIED = 1_000;

    /**
     * How much it remembers.
     *
     * @param known undecided halves in memory
     * @param outcomes decided halves, see {@link Outcomes}
     * @param places places that change while a cut of the log is looked ahead for, see {@link LivePlaces}
     */
    record Limits(int known, int outcomes, int places) {
        static final Limits USUAL = new Limits(HalfWindow.MAX_KNOWN, Outcomes.MAX, LivePlaces.MAX_REMEMBERED);
    }

    private final HalfStore halves;
    private final Supplier<ClockNote> told;
    private final HalfWindow window;
    private int leadership;
    private final Outcomes outcomes;
    private final LivePlaces<Half> places;
    /** Births of copies that came not to be, from any thread. */
    private final Queue<Long> carryFailures = new ConcurrentLinkedQueue<>();

    /**
     * An empty view whose store is opened there.
     *
     * @param told what the log said last of the clock that halves wait by, which copies repeat; asked on the view loop
     */
    public TransactionView(ViewStores stores, Supplier<ClockNote> told) {
        this(stores, told, Limits.USUAL);
    }

    TransactionView(ViewStores stores, Supplier<ClockNote> told, Limits limits) {
        this.halves = new HalfStore(stores, NAME);
        this.told = told;
        this.window = new HalfWindow(limits.known());
        this.outcomes = new Outcomes(halves, limits.outcomes());
        this.places = new LivePlaces<>(new Places(), limits.places());
    }

    /** The claims, and what is in memory. On the view loop only. */
    HalfWindow window() {
        carryFailures();
        return window;
    }

    /** What became of a half; null when that is not remembered. On the view loop only. */
    @Nullable
    Closed closed(long birth) {
        return outcomes.of(birth);
    }

    /** Whether no half is undecided. May wait for the disk; when the log is replayed and before the loops start. */
    public boolean isEmpty() {
        return halves.isEmpty();
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
                rolledBack.entries().stream()
                        .sorted(Comparator.comparingLong(HalfRef::birth))
                        .forEach(ref -> rolledBack(ref, entry.offset()));
            } else if (fact instanceof HalvesChecked checked) {
                checked.entries().forEach(ref -> checked(ref, checked));
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
                            0,
                            mark.acceptedMs(),
                            0));
                }
            }
            case COPY -> {
                if (half) {
                    halves.remove(mark.birth(), mark.nextCheckMs(), mark.readAt());
                    places.left(mark.readAt());
                    put(new Half(
                            mark.birth(),
                            entry.offset(),
                            entry.sizeBytes(),
                            mark.queueOffset(),
                            mark.nextCheckMs(),
                            mark.checks(),
                            mark.acceptedMs(),
                            mark.askedMs()));
                }
            }
            case COMMITTED -> closed(mark, Outcome.COMMITTED, entry.offset());
            case SET_ASIDE -> closed(mark, Outcome.SET_ASIDE, entry.offset());
        }
    }

    private void put(Half half) {
        isNow(half);
        places.put(half);
    }

    private void isNow(Half half) {
        halves.put(half);
        window.changed(half);
    }

    private void closed(HalfMark mark, Outcome outcome, long closedAt) {
        remove(mark.birth(), mark.nextCheckMs(), mark.readAt());
        outcomes.add(mark.birth(), new Closed(outcome, mark.readAt(), closedAt));
    }

    private void rolledBack(HalfRef ref, long closedAt) {
        remove(ref.birth(), ref.nextCheckMs(), ref.offset());
        outcomes.add(ref.birth(), new Closed(Outcome.ROLLED_BACK, ref.offset(), closedAt));
    }

    /** Does nothing for one that is not known (R14). */
    private void remove(long birth, long nextCheckMs, long offset) {
        halves.remove(birth, nextCheckMs, offset);
        places.left(offset);
        window.closed(birth);
    }

    private void checked(HalfRef ref, HalvesChecked turn) {
        halves.remove(ref.birth(), ref.nextCheckMs(), ref.offset());
        Half half = Half.of(ref).checked(turn);
        isNow(half);
        places.changed(half);
    }

    @Override
    public void reached(LogPosition position) {
        halves.reached(position);
    }

    @Override
    public void passEnded() {
        halves.passEnded();
        places.passEnded();
    }

    @Override
    public ViewImage freeze() {
        return halves.freeze(places.lowest());
    }

    @Override
    public void restore(DataInput state) throws IOException {
        places.restore(halves.restore(state));
        if (halves.open() != null) {
            outcomes.restore();
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
        outcomes.clear();
        places.forget();
        halves.forget();
    }

    /** How often every claim was ended. On the view loop. */
    int leadership() {
        return leadership;
    }

    /** Ends every claim: another broker may have cut off what it was for (R33). Halves are looked for in the store. On the view loop. */
    void endClaims() {
        leadership++;
        window.clear();
        window.unknownStore();
    }

    @Override
    public long firstLiveOffset() {
        return places.firstLiveOffset();
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        carryFailures();
        int[] count = {0};
        places.visit(belowOffset, half -> {
            if (!window.isClaimed(half.birth())) {
                window.claim(half.birth());
                sink.frame(half.offset(), new Copy(half, told.get()));
                count[0]++;
            }
            return count[0] < MAX_CARRIED;
        });
    }

    /** Gathers what {@link #carryForward} and {@link #trimmed} will want to know. */
    @Override
    public PacedTask lookAhead(long startOffset) {
        return places.lookAhead(startOffset);
    }

    /** The undecided halves by place. */
    private final class Places implements LivePlaces.Source<Half> {
        @Override
        public void walk(long fromOffset, long belowOffset, Predicate<Half> visitor) {
            halves.scan(
                    HalfKeys.place(fromOffset),
                    HalfKeys.place(belowOffset),
                    (key, value) -> visitor.test(HalfKeys.half(value)));
        }

        @Override
        public long offsetOf(Half entry) {
            return entry.offset();
        }

        @Override
        public long reachedOffset() {
            return halves.reachedOffset();
        }
    }

    /** Makes the copy of a half whose frame must go. */
    private final class Copy implements FrameCopy {
        private final Half half;
        private final ClockNote clock;

        Copy(Half half, ClockNote clock) {
            this.half = half;
            this.clock = clock;
        }

        @Override
        public FrameDraft of(MessageFrame frame) {
            return HalfFrames.copy(frame, half, clock);
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
        places.trimmed(startOffset, lost -> remove(lost.birth(), lost.nextCheckMs(), lost.offset()));
        outcomes.forgetBelow(startOffset);
    }

    @Override
    public String fingerprint() {
        return halves.fingerprint();
    }
}
