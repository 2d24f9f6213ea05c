package dev.perigee.broker.timer;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerRef;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.ViewBatch;
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
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Which messages wait for their time, folded over the marks of frames (see {@link TimerMark}) and {@code TimerClosed}. They
 * lie in a {@link ViewStore}, which a broker opens when it starts, for opening one waits for the disk; a view that was not told to
 * opens it with the first of them. The log is read by nobody here: a delivery names what it closes.
 */
@OwnedBy("view loop")
public final class TimerView implements LogView {
    /** The name of the view and of its store. */
    public static final String NAME = "timers";

    /** Copies of one round; the next round takes the next ones. */
    static final int MAX_CARRIED = 10_000;

    /** Of the checkpoint and of the entries in the store: of another version all is rebuilt from the log. */
    private static final int VERSION = 2;

    /** Places looked at per step of {@link #lookAhead}. */
    private static final int LOOK_AHEAD_PLACES = 1_000;

    private final ViewStores stores;
    private final TimerWindow window;
    /** Copies that came not to be, from any thread. */
    private final Queue<WaitingMessage> carryFailures = new ConcurrentLinkedQueue<>();

    /** Set by the view loop; the preparer looks ahead in it. */
    private volatile @Nullable ViewStore store;

    /** No message lies below; a walk that began further back would pass over all that was ever closed. */
    private long lowestPlace;

    private ViewBatch batch = new ViewBatch();
    private @Nullable LogPosition reached;

    /** An empty view whose store is opened there. */
    public TimerView(ViewStores stores) {
        this(stores, new TimerWindow());
    }

    TimerView(ViewStores stores, TimerWindow window) {
        this.stores = stores;
        this.window = window;
    }

    /** What is due soon, with the claims. On the view loop only. */
    TimerWindow window() {
        carryFailures();
        return window;
    }

    /** The store, null while nothing ever waited. On the view loop; others may read from it. */
    @Nullable
    ViewStore store() {
        return store;
    }

    /**
     * Opens the store if nothing waited yet, so that the view loop never has to: that makes files and waits for the disk.
     * Blocks; when the log is replayed and before the loops start.
     */
    public void prepare() throws IOException {
        openIfNone();
    }

    /** Lets the store go; when the loops have ended. Blocks. */
    public void close() throws IOException {
        ViewStore open = store;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void apply(LogEntry entry) {
        String text = entry.properties().timerMark();
        if (text != null) {
            marked(entry, TimerMark.parse(text));
        } else if (entry.isFact()) {
            Fact fact = entry.fact();
            if (fact instanceof TimerClosed closed) {
                closed.entries().forEach(this::close);
            }
        }
    }

    private void marked(LogEntry entry, @Nullable TimerMark mark) {
        if (mark == null) {
            return; // written by a user, before the name was reserved
        }
        if (!entry.topic().equals(SystemTopic.SCHEDULE)) {
            if (!mark.isFirst()) {
                close(new TimerRef(mark.dueMs(), mark.birth(), mark.readAt()));
            }
            return;
        }
        if (!mark.isFirst()) {
            batch.delete(TimerKeys.place(mark.readAt()));
        }
        long birth = mark.isFirst() ? entry.offset() : mark.birth();
        put(mark.dueMs(), birth, entry.offset(), entry.sizeBytes());
    }

    private void put(long dueMs, long birth, long offset, int sizeBytes) {
        open();
        batch.put(TimerKeys.due(dueMs, birth), TimerKeys.dueValue(offset, sizeBytes));
        batch.put(TimerKeys.place(offset), TimerKeys.placeValue(dueMs, birth, sizeBytes));
        window.added(dueMs, birth, offset, sizeBytes);
    }

    /** Does nothing for one that is not known (R14). */
    private void close(TimerRef closed) {
        batch.delete(TimerKeys.due(closed.dueMs(), closed.birth()));
        batch.delete(TimerKeys.place(closed.offset()));
        window.closed(closed.birth());
    }

    private void open() {
        try {
            openIfNone();
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the waiting messages cannot be made", e);
        }
    }

    private void openIfNone() throws IOException {
        if (store == null) {
            stores.remove(NAME); // of a run that left no checkpoint of it
            store = stores.open(NAME);
        }
    }

    @Override
    public void reached(LogPosition position) {
        reached = position;
    }

    @Override
    public void passEnded() {
        if (batch.count() > 0) {
            write();
        }
    }

    private void write() {
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
        try {
            open.write(full, position);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the store of the waiting messages fails, which the log cannot mend here", e);
        }
    }

    @Override
    public ViewImage freeze() {
        write(); // its place, also when nothing changed
        ViewStore open = store;
        long lowest = lowestPlace;
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
        lowestPlace = state.readLong();
        if (!stored) {
            return;
        }
        if (!stores.exists(NAME)) {
            throw new IOException("the store of " + NAME + " is gone");
        }
        ViewStore open = stores.open(NAME);
        store = open;
        if (open.position().isEmpty()) {
            throw new IOException("the store of " + NAME + " is empty");
        }
        window.unknownStore();
    }

    @Override
    public Optional<LogPosition> ownPosition() {
        return store == null ? Optional.empty() : store.position();
    }

    @Override
    public void forget() throws IOException {
        ViewStore open = store;
        store = null;
        batch = new ViewBatch();
        lowestPlace = 0;
        window.clear();
        if (open == null) {
            stores.remove(NAME);
        } else {
            open.destroy();
        }
    }

    @Override
    public long firstLiveOffset() {
        long[] first = {Long.MAX_VALUE};
        places(Long.MAX_VALUE, (key, value) -> {
            first[0] = TimerKeys.longAt(key, TimerKeys.PLACE_AT);
            return false;
        });
        LogPosition end = reached;
        if (first[0] != Long.MAX_VALUE) {
            lowestPlace = first[0];
        } else if (end != null) {
            lowestPlace = end.offset(); // what comes lies further on
        }
        return first[0];
    }

    /** Walks over the places below an offset, in order. */
    private void places(long belowOffset, KeyVisitor visitor) {
        ViewStore open = store;
        if (open == null) {
            return;
        }
        try {
            open.scan(TimerKeys.place(lowestPlace), TimerKeys.place(belowOffset), visitor);
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the waiting messages cannot be read", e);
        }
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        carryFailures();
        int[] count = {0};
        places(belowOffset, (key, value) -> {
            long offset = TimerKeys.longAt(key, TimerKeys.PLACE_AT);
            long dueMs = TimerKeys.longAt(value, 0);
            long birth = TimerKeys.longAt(value, TimerKeys.PLACE_BIRTH_AT);
            if (!window.isClaimed(birth)) {
                int sizeBytes = TimerKeys.intAt(value, TimerKeys.PLACE_SIZE_AT);
                sink.frame(offset, new Copy(window.carry(dueMs, birth, offset, sizeBytes)));
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
            ViewStore open = store;
            int limit = seen[0] + LOOK_AHEAD_PLACES;
            if (open != null) {
                open.scan(TimerKeys.place(from[0]), TimerKeys.place(startOffset), (key, value) -> {
                    from[0] = TimerKeys.longAt(key, TimerKeys.PLACE_AT) + 1;
                    return ++seen[0] < limit;
                });
            }
            return seen[0] == limit && limit < MAX_CARRIED;
        };
    }

    /** Makes the copy of a waiting message whose frame must go. */
    private final class Copy implements FrameCopy {
        private final WaitingMessage message;
        private final TimerMark mark;

        Copy(WaitingMessage message) {
            this.message = message;
            this.mark = new TimerMark(message.dueMs, message.birth, message.offset());
        }

        @Override
        public FrameDraft of(MessageFrame frame) {
            return WaitingFrames.copy(frame, mark);
        }

        @Override
        public void failed() {
            carryFailures.add(message);
        }

        @Override
        public Fact lost() {
            return new TimerClosed(
                    List.of(new TimerRef(message.dueMs, message.birth, mark.readAt())), "its frame is damaged");
        }
    }

    private void carryFailures() {
        for (WaitingMessage each = carryFailures.poll(); each != null; each = carryFailures.poll()) {
            window.carryFailed(each);
        }
    }

    /** What lay below is gone, though it was still wanted: only when files were taken away by hand. */
    @Override
    public void trimmed(long startOffset) {
        places(startOffset, (key, value) -> {
            close(new TimerRef(
                    TimerKeys.longAt(value, 0),
                    TimerKeys.longAt(value, TimerKeys.PLACE_BIRTH_AT),
                    TimerKeys.longAt(key, TimerKeys.PLACE_AT)));
            return true;
        });
    }

    @Override
    public String fingerprint() {
        ViewStore open = store;
        CRC32C crc = new CRC32C();
        int[] count = {0};
        if (open != null) {
            try {
                open.scan(TimerKeys.due(0, 0), TimerKeys.dueEnd(), (key, value) -> {
                    crc.update(key);
                    crc.update(value);
                    count[0]++;
                    return true;
                });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return count[0] == 0 ? "" : count[0] + " waiting, crc " + Long.toHexString(crc.getValue());
    }
}
