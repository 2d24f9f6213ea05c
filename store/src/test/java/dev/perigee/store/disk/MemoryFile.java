package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;

/** What a file holds now, what of it is durable, and which sectors differ. */
@OwnedBy("the test")
final class MemoryFile {
    static final int SECTOR_BYTES = 512;

    private final CrashingDisk disk;
    private final String name;
    private byte[] now = new byte[0];
    private int size;
    private byte[] durable = new byte[0];
    private int durableSize;
    /** Sectors written and not forced; only these reach the disk by a force or by luck. */
    private final BitSet dirty = new BitSet();

    MemoryFile(CrashingDisk disk, String name) {
        this.disk = disk;
        this.name = name;
    }

    int size() {
        return size;
    }

    int read(ByteBuffer target, long position) {
        int count = (int) Math.max(0, Math.min(target.remaining(), size - position));
        if (count > 0) {
            target.put(now, (int) position, count);
        }
        return count;
    }

    void write(ByteBuffer source, long position) throws IOException {
        int count = source.remaining();
        int end = Math.toIntExact(position + count);
        if (count == 0) {
            return;
        }
        disk.claim(name, count, Math.max(0, end - size));
        grow(end);
        size = Math.max(size, end);
        source.get(now, (int) position, count);
        dirty.set((int) position / SECTOR_BYTES, (end - 1) / SECTOR_BYTES + 1);
    }

    void resize(long newSize) {
        int target = Math.toIntExact(newSize);
        grow(target);
        if (target < size) {
            Arrays.fill(now, target, size, (byte) 0);
            dirty.set(target / SECTOR_BYTES, (size - 1) / SECTOR_BYTES + 1);
        }
        size = target;
    }

    void force() throws IOException {
        try {
            disk.forced();
        } catch (IOException e) {
            dirty.clear();
            throw e;
        }
        if (durable.length < now.length) { // a copy of a whole segment for every force would be most of what tests do
            durable = Arrays.copyOf(durable, now.length);
        }
        for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
            copySector(sector, SECTOR_BYTES);
        }
        durableSize = size;
        dirty.clear();
    }

    private void copySector(int sector, int bytes) {
        int from = sector * SECTOR_BYTES;
        int count = Math.min(bytes, Math.min(now.length, durable.length) - from);
        if (count > 0) {
            System.arraycopy(now, from, durable, from, count);
        }
    }

    ByteBuffer map(long position, int bytes) throws IOException {
        if (position + bytes > size) {
            throw new IOException("cannot map " + name + " up to " + (position + bytes) + ", it ends at " + size);
        }
        return ByteBuffer.wrap(now, (int) position, bytes).slice().asReadOnlyBuffer();
    }

    void flip(long position, int mask) {
        now[(int) position] ^= (byte) mask;
        if (position < durable.length) {
            durable[(int) position] ^= (byte) mask;
        }
    }

    byte[] content() {
        return Arrays.copyOf(now, size);
    }

    void put(byte[] content) {
        now = content.clone();
        durable = content.clone();
        size = content.length;
        durableSize = size;
        dirty.clear();
    }

    MemoryFile afterPowerLoss(CrashingDisk owner, Random random, boolean tear) {
        durable = Arrays.copyOf(durable, Math.max(durable.length, now.length));
        int survivingSize = random.nextBoolean() ? size : durableSize;
        int luck = random.nextInt(5);
        for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
            if (random.nextInt(4) < luck) {
                boolean torn = tear && random.nextInt(8) == 0;
                copySector(sector, torn ? random.nextInt(SECTOR_BYTES) : SECTOR_BYTES);
            }
        }
        MemoryFile file = new MemoryFile(owner, name);
        file.put(Arrays.copyOf(durable, survivingSize));
        return file;
    }

    MemoryFile afterKill(CrashingDisk owner) {
        MemoryFile file = new MemoryFile(owner, name);
        file.now = now.clone();
        file.size = size;
        file.durable = durable.clone();
        file.durableSize = durableSize;
        file.dirty.or(dirty);
        return file;
    }

    /** Mapped views live in the array, so it is replaced only while the file grows. */
    private void grow(int bytes) {
        if (bytes > now.length) {
            now = Arrays.copyOf(now, Math.max(bytes, Math.min(2 * now.length, bytes + (1 << 20))));
        }
    }
}
