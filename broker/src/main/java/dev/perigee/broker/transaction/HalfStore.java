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
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The undecided halves, and what became of others, in a {@link ViewStore}, see {@link HalfKeys}: gathered during a pass and written at
 * its end, together with the place in the log that this brings it to (R16).
 */
@OwnedBy("view loop")
final class HalfStore {
    /** Of the checkpoint and of the entries: of another version all is rebuilt from the log. */
    private static final int VERSION = 3;

    private final ViewStores stores;
    private final String name;

    /** Set by the view loop; cold readers and the preparer read from it. */
    private volatile @Nullable ViewStore store;

    private ViewBatch batch = new ViewBatch();
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
        byte[] value = HalfKeys.value(half);
        put(HalfKeys.birth(half.birth()), value);
        put(HalfKeys.check(half.nextCheckMs(), half.birth()), value);
        put(HalfKeys.place(half.offset()), value);
    }

    /** It is no longer so; does nothing where it was not. */
    void remove(long birth, long nextCheckMs, long offset) {
        delete(HalfKeys.birth(birth));
        delete(HalfKeys.check(nextCheckMs, birth));
        delete(HalfKeys.place(offset));
    }

    /** Writes an entry at the end of the pass. */
    void put(byte[] key, byte[] value) {
        try {
            prepare();
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the halves cannot be made", e);
        }
        batch.put(key, value);
    }

    /** Removes an entry at the end of the pass. */
    void delete(byte[] key) {
        batch.delete(key);
    }

    /** Removes the entries from one key to another, exclusive, at the end of the pass. */
    void deleteRange(byte[] from, byte[] to) {
        batch.deleteRange(from, to);
    }

    void reached(LogPosition position) {
        reached = position;
    }

    /** The byte after the last entry of the log that was folded in; 0 before the first. */
    long reachedOffset() {
        LogPosition position = reached;
        return position == null ? 0 : position.offset();
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
        if (there == null) {
            return; // nothing was there to be closed
        }
        try {
            there.write(full, position);
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the halves fails, which the log cannot mend here", e);
        }
    }

    /**
     * What a checkpoint says; written on the preparer.
     *
     * @param lowestPlace a place below which no half lies
     */
    ViewImage freeze(long lowestPlace) {
        write(); // its place, also when nothing changed
        ViewStore there = store;
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
                target.writeLong(lowestPlace);
            }
        };
    }

    /** Opens what a checkpoint speaks of, if there is a store; gives the place below which no half lies. Blocks. */
    long restore(DataInput state) throws IOException {
        int version = state.readInt();
        if (version != VERSION) {
            throw new IOException("checkpoint of " + name + " has version " + version + ", known is " + VERSION);
        }
        boolean stored = state.readBoolean();
        long lowestPlace = state.readLong();
        if (!stored) {
            return lowestPlace;
        }
        if (!stores.exists(name)) {
            throw new IOException("the store of " + name + " is gone");
        }
        ViewStore opened = stores.open(name);
        store = opened;
        if (opened.position().isEmpty()) {
            throw new IOException("the store of " + name + " is empty");
        }
        return lowestPlace;
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
        if (there == null) {
            stores.remove(name);
        } else {
            there.destroy();
        }
    }

    /** Walks over entries, as {@link ViewStore#scan} does; over none while there is no store. */
    void scan(byte[] from, byte[] to, KeyVisitor visitor) {
        ViewStore there = store;
        if (there == null) {
            return;
        }
        try {
            there.scan(from, to, visitor);
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the halves cannot be read", e);
        }
    }

    /** Whether no half is undecided. May wait for the disk. */
    boolean isEmpty() {
        boolean[] empty = {true};
        scan(HalfKeys.birth(0), HalfKeys.birthEnd(), (key, value) -> {
            empty[0] = false;
            return false;
        });
        return empty[0];
    }

    /** A text that is equal for equal states; empty without halves. Slow. */
    String fingerprint() {
        CRC32C crc = new CRC32C();
        int undecided = sum(crc, HalfKeys.birth(0), HalfKeys.birthEnd());
        int checks = sum(crc, HalfKeys.check(0, 0), HalfKeys.checkEnd());
        int places = sum(crc, HalfKeys.place(0), HalfKeys.placeEnd());
        int outcomes = sum(crc, HalfKeys.outcome(0, 0), HalfKeys.outcomeEnd());
        return undecided + checks + places + outcomes == 0
                ? ""
                : undecided + " undecided, " + checks + " checks, " + places + " places, " + outcomes + " decided, crc "
                        + Long.toHexString(crc.getValue());
    }

    private int sum(CRC32C crc, byte[] from, byte[] to) {
        int[] count = {0};
        scan(from, to, (key, value) -> {
            crc.update(key);
            crc.update(value);
            count[0]++;
            return true;
        });
        return count[0];
    }
}
