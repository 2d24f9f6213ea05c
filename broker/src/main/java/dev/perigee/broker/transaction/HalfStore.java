package dev.perigee.broker.transaction;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The undecided halves in a {@link ViewStore}, changed once per pass together with the place in the log that the changes bring
 * it to (R16).
 */
@OwnedBy("view loop")
final class HalfStore {
    /** Of the checkpoint and of the entries: of another version all is rebuilt from the log. */
    private static final int VERSION = 1;

    private final ViewStores stores;
    private final String name;

    /** Set by the view loop; cold readers and the preparer read from it. */
    private volatile @Nullable ViewStore store;

    /** Nothing lies below; a walk that began further back would pass over all that was ever closed. */
    private long lowestPlace;

    private ViewBatch batch = new ViewBatch();
    /** What the batch makes of halves, by birth; empty for one that is closed. The store does not know of it yet. */
    private final Map<Long, Optional<Half>> unwritten = new HashMap<>();

    private @Nullable LogPosition reached;

    HalfStore(ViewStores stores, String name) {
        this.stores = stores;
        this.name = name;
    }

    /** The store, null while there never was a half. Any thread; others than the view loop may only read from it. */
    @Nullable
    ViewStore open() {
        return store;
    }

    /** Opens the store if it is not open. Blocks. */
    void prepare() throws IOException {
        if (store == null) {
            stores.remove(name); // of a run that left no checkpoint of it
            store = stores.open(name);
        }
    }

    /** Lets it go. Blocks. */
    void close() throws IOException {
        ViewStore there = store;
        if (there != null) {
            there.close();
        }
    }

    /** A half is there, or is so now. */
    void put(Half half) {
        try {
            prepare();
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the undecided halves cannot be made", e);
        }
        unwritten.put(half.birth(), Optional.of(half));
        byte[] value = HalfKeys.value(half);
        batch.put(HalfKeys.birth(half.birth()), value);
        batch.put(HalfKeys.check(half.nextCheckMs(), half.birth()), value);
        batch.put(HalfKeys.place(half.offset()), value);
    }

    /** It is no longer so; does nothing where it was not. */
    void remove(long birth, long nextCheckMs, long offset) {
        unwritten.put(birth, Optional.empty());
        batch.delete(HalfKeys.birth(birth));
        batch.delete(HalfKeys.check(nextCheckMs, birth));
        batch.delete(HalfKeys.place(offset));
    }

    void reached(LogPosition position) {
        reached = position;
    }

    void passEnded() {
        if (batch.count() > 0) {
            write();
        }
    }

    private void write() {
        ViewStore there = store;
        LogPosition position = reached;
        if (position == null) {
            return; // with the first pass
        }
        ViewBatch full = batch;
        batch = new ViewBatch();
        unwritten.clear();
        if (there == null) {
            return; // nothing was there to be closed
        }
        try {
            there.write(full, position);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the store of the undecided halves fails, which the log cannot mend here", e);
        }
    }

    /** What a checkpoint says; written on the preparer. */
    ViewImage freeze() {
        write(); // its place, also when nothing changed
        ViewStore there = store;
        long lowest = lowestPlace;
        return new ViewImage() {
            @Override
            public boolean forceSome(Disk disk) throws IOException {
                if (there != null) {
                    there.flush();
                }
                return false;
            }

            @Override
            public void write(DataOutput target) throws IOException {
                target.writeInt(VERSION);
                target.writeBoolean(there != null);
                target.writeLong(lowest);
            }
        };
    }

    /** Opens what a checkpoint speaks of; gives whether there is a store. */
    boolean restore(DataInput state) throws IOException {
        int version = state.readInt();
        if (version != VERSION) {
            throw new IOException("checkpoint of " + name + " has version " + version + ", known is " + VERSION);
        }
        boolean stored = state.readBoolean();
        lowestPlace = state.readLong();
        if (!stored) {
            return false;
        }
        if (!stores.exists(name)) {
            throw new IOException("the store of " + name + " is gone");
        }
        ViewStore opened = stores.open(name);
        store = opened;
        if (opened.position().isEmpty()) {
            throw new IOException("the store of " + name + " is empty");
        }
        return true;
    }

    Optional<LogPosition> ownPosition() {
        ViewStore there = store;
        return there == null ? Optional.empty() : there.position();
    }

    /** Empties it, and takes it from the disk. Blocks. */
    void forget() throws IOException {
        ViewStore there = store;
        store = null;
        batch = new ViewBatch();
        unwritten.clear();
        lowestPlace = 0;
        if (there == null) {
            stores.remove(name);
        } else {
            there.destroy();
        }
    }

    /** Where the first newest copy lies; {@link Long#MAX_VALUE} when there is none. */
    long firstPlace() {
        long[] first = {Long.MAX_VALUE};
        places(Long.MAX_VALUE, (key, value) -> {
            first[0] = HalfKeys.half(value).offset();
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

    /** The halves whose newest copies lie below an offset, also in the middle of a pass. */
    List<Half> below(long offset) {
        Map<Long, Half> found = new HashMap<>();
        places(offset, (key, value) -> {
            Half half = HalfKeys.half(value);
            found.put(half.birth(), half);
            return true;
        });
        unwritten.forEach((birth, half) -> {
            found.remove(birth);
            half.filter(newest -> newest.offset() < offset).ifPresent(newest -> found.put(birth, newest));
        });
        return List.copyOf(found.values());
    }

    /** Walks over the newest copies below an offset, in order. */
    void places(long belowOffset, KeyVisitor visitor) {
        ViewStore there = store;
        if (there == null) {
            return;
        }
        try {
            there.scan(HalfKeys.place(lowestPlace), HalfKeys.place(belowOffset), visitor);
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the undecided halves cannot be read", e);
        }
    }

    /** A text that is equal for equal states; empty without halves. Slow. */
    String fingerprint() {
        CRC32C crc = new CRC32C();
        int[] count = new int[2];
        ViewStore there = store;
        if (there != null) {
            try {
                there.scan(HalfKeys.birth(0), HalfKeys.birthEnd(), (key, value) -> {
                    crc.update(value);
                    count[0]++;
                    return true;
                });
                there.scan(HalfKeys.check(0, 0), HalfKeys.checkEnd(), (key, value) -> {
                    crc.update(key);
                    count[1]++;
                    return true;
                });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return count[0] + count[1] == 0
                ? ""
                : count[0] + " undecided, " + count[1] + " checks, crc " + Long.toHexString(crc.getValue());
    }
}
