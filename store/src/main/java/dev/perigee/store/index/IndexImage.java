package dev.perigee.store.index;

import dev.perigee.store.disk.Disk;
import dev.perigee.store.view.ViewImage;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/** The index at one moment: sealed files by name, the growing one with the entries that are in no file yet. */
final class IndexImage implements ViewImage {
    static final int VERSION = 1;

    /** One file with what the view loop still changes about it. */
    @SuppressWarnings("ArrayRecordComponent") // a shared snapshot; never compared
    record Frozen(IndexFile file, int count, int written, int crc, IndexRange range, IndexFile.Block[] blocks) {
        static Frozen of(IndexFile file) {
            IndexFile.Block[] blocks = file.blocks(); // first: what is written meanwhile is in both
            IndexFile.Written written = file.written();
            return new Frozen(file, file.count(), written.count(), written.crc(), file.range(), blocks);
        }

        boolean isFull() {
            return count == file.capacity();
        }
    }

    private final List<Frozen> files;
    private final long startOffset;
    private final List<String> garbage;
    private final Set<String> garbageOfView;
    private final Queue<Frozen> toForce;
    private final Queue<String> toDelete;

    IndexImage(List<Frozen> files, long startOffset, Set<String> garbageOfView) {
        this.files = files;
        this.startOffset = startOffset;
        this.garbage = List.copyOf(garbageOfView);
        this.garbageOfView = garbageOfView;
        this.toForce = new ArrayDeque<>(files);
        this.toDelete = new ArrayDeque<>(garbage);
    }

    @Override
    public boolean forceSome(Disk disk) throws IOException {
        boolean forced = false;
        while (!forced && !toForce.isEmpty()) {
            Frozen next = toForce.remove();
            if (!next.file().isSealed()) {
                forced = true;
                force(next);
            }
        }
        if (!toForce.isEmpty()) {
            return true;
        }
        if (!files.isEmpty()) {
            disk.makeFolder(IndexFile.FOLDER);
            disk.syncFolder(IndexFile.FOLDER);
        }
        return false;
    }

    private static void force(Frozen next) throws IOException {
        if (next.isFull() && next.written() == next.count()) {
            next.file().seal();
        } else {
            next.file().force();
        }
    }

    @Override
    public void write(DataOutput target) throws IOException {
        target.writeInt(VERSION);
        target.writeLong(startOffset);
        target.writeInt(files.size());
        for (Frozen frozen : files) {
            writeFile(target, frozen);
        }
        target.writeInt(garbage.size());
        for (String name : garbage) {
            target.writeUTF(name);
        }
    }

    private static void writeFile(DataOutput target, Frozen frozen) throws IOException {
        target.writeLong(frozen.file().number());
        target.writeInt(frozen.file().capacity());
        target.writeInt(frozen.count());
        target.writeInt(frozen.written());
        target.writeInt(frozen.crc());
        target.writeBoolean(frozen.isFull() && frozen.file().isSealed());
        target.writeLong(frozen.range().beginMs());
        target.writeLong(frozen.range().endMs());
        target.writeLong(frozen.range().beginOffset());
        target.writeLong(frozen.range().endOffset());
        int number = frozen.written() + 1;
        for (IndexFile.Block block : frozen.blocks()) {
            int end = Math.min(frozen.count() + 1, block.end());
            if (end <= number) {
                continue;
            }
            target.write(
                    block.bytes(),
                    (number - block.first()) * IndexEntry.SIZE_BYTES,
                    (end - number) * IndexEntry.SIZE_BYTES);
            number = end;
        }
    }

    @Override
    public boolean cleanSome(Disk disk) throws IOException {
        String name = toDelete.poll();
        if (name != null) {
            disk.delete(name);
            garbageOfView.remove(name);
        }
        return !toDelete.isEmpty();
    }
}
