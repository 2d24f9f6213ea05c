package dev.perigee.store.queue;

import dev.perigee.store.disk.Disk;
import dev.perigee.store.tail.QueueStarts;
import dev.perigee.store.view.ViewImage;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All queues at one moment: where each stands, and the entries that are in no file yet, so that a checkpoint costs one
 * file and no write into thousands.
 */
final class QueueImage implements ViewImage {
    static final int VERSION = 2;
    private static final int FILES_PER_STEP = 16;
    private static final Logger LOG = LoggerFactory.getLogger(QueueImage.class);

    /** One queue: the queue itself for what never changes, its mark, and its blocks for entries below the mark. */
    @SuppressWarnings("ArrayRecordComponent") // a shared snapshot; never compared
    record Frozen(ConsumeQueue queue, QueueMark mark, EntryBlock[] blocks) {}

    private final int entriesPerFile;
    private final List<Frozen> queues;
    private final QueueStarts starts;
    private final QueueFiles files;
    private final List<String> garbage;
    private final Set<String> garbageOfView;
    private final Queue<String> toDelete;
    /** Null until the first step of forcing. */
    private @Nullable Queue<String> toForce;

    QueueImage(
            int entriesPerFile, List<Frozen> queues, QueueStarts starts, QueueFiles files, Set<String> garbageOfView) {
        this.entriesPerFile = entriesPerFile;
        this.queues = queues;
        this.starts = starts;
        this.files = files;
        this.garbage = List.copyOf(garbageOfView);
        this.garbageOfView = garbageOfView;
        this.toDelete = new ArrayDeque<>(garbage);
    }

    /**
     * What lay in files when the queues were frozen was written by the thread that runs this, before; what was written since is
     * forced with it. A file that cannot be forced remains with the {@link QueueFiles} for the next image.
     */
    @Override
    public boolean forceSome(Disk disk) throws IOException {
        Queue<String> left = toForce;
        if (left == null) {
            left = new ArrayDeque<>(files.unforced());
            toForce = left;
        }
        for (int i = 0; i < FILES_PER_STEP && !left.isEmpty(); i++) {
            files.force(left.element());
            left.remove();
        }
        if (!left.isEmpty()) {
            return true;
        }
        syncFolders(disk);
        return false;
    }

    private void syncFolders(Disk disk) throws IOException {
        List<String> folders = files.unsyncedFolders();
        if (folders.isEmpty()) {
            return;
        }
        Set<String> all = new LinkedHashSet<>();
        for (String folder : folders) {
            all.add(folder);
            all.add(folder.substring(0, folder.lastIndexOf('/')));
        }
        all.add(QueueFiles.ROOT);
        all.add("");
        for (String folder : all) {
            syncUnlessGone(disk, folder);
        }
        folders.forEach(files::synced);
    }

    private static void syncUnlessGone(Disk disk, String folder) throws IOException {
        try {
            disk.syncFolder(folder);
        } catch (NoSuchFileException e) {
            LOG.debug("event=queue_folder_gone folder={}", folder, e);
        }
    }

    @Override
    public void write(DataOutput target) throws IOException {
        target.writeInt(VERSION);
        target.writeInt(entriesPerFile);
        target.writeInt(queues.size());
        for (Frozen frozen : queues) {
            writeQueue(target, frozen);
        }
        target.writeInt(garbage.size());
        for (String name : garbage) {
            target.writeUTF(name);
        }
        starts.write(target);
    }

    private static void writeQueue(DataOutput target, Frozen frozen) throws IOException {
        QueueMark mark = frozen.mark();
        target.writeUTF(frozen.queue().topic());
        target.writeInt(frozen.queue().queueId());
        target.writeUTF(frozen.queue().folder());
        target.writeLong(mark.minOffset());
        target.writeLong(mark.maxOffset());
        target.writeLong(mark.fileEnd());
        target.writeLong(mark.firstPhysical());
        target.writeLong(mark.lastPhysical());
        target.writeLong(mark.endsFactOffset());
        QueueGaps gaps = mark.gaps();
        gaps.write(target);
        EntryBlock[] blocks = frozen.blocks();
        for (long at = gaps.endOf(mark.fileEnd()); at < mark.maxOffset(); ) {
            int index = EntryBlock.indexOf(blocks, at);
            EntryBlock block = blocks[index];
            long blockEnd = index + 1 < blocks.length ? blocks[index + 1].firstOffset : mark.maxOffset();
            long end = Math.min(blockEnd, gaps.nextStart(at));
            target.write(
                    block.bytes,
                    (int) (at - block.firstOffset) * QueueEntry.SIZE_BYTES,
                    (int) (end - at) * QueueEntry.SIZE_BYTES);
            at = gaps.endOf(end);
        }
    }

    @Override
    public boolean cleanSome(Disk disk) throws IOException {
        for (int i = 0; i < FILES_PER_STEP && !toDelete.isEmpty(); i++) {
            String name = toDelete.remove();
            files.forget(name);
            deleteTree(disk, name);
            garbageOfView.remove(name);
        }
        return !toDelete.isEmpty();
    }

    static void deleteTree(Disk disk, String name) throws IOException {
        for (String child : disk.list(name)) {
            deleteTree(disk, name + "/" + child);
        }
        disk.delete(name);
    }
}
