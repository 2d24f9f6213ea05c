package dev.perigee.store.queue;

import dev.perigee.store.disk.Disk;
import dev.perigee.store.view.CheckpointFile;
import java.io.DataInput;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Reads what a {@link QueueImage} wrote, and checks that the files it speaks of are there. */
final class QueueRestore {
    /** The part of a queue that never changes, as read. */
    record Named(String topic, int queueId, String folder) {}

    private final Disk disk;
    private final QueueConfig config;
    private final DataInput state;
    private final byte[] entry = new byte[QueueEntry.SIZE_BYTES];

    QueueRestore(Disk disk, QueueConfig config, DataInput state) {
        this.disk = disk;
        this.config = config;
        this.state = state;
    }

    void readInto(Function<Named, ConsumeQueue> maker, Consumer<ConsumeQueue> queues, Set<String> garbage)
            throws IOException {
        int version = state.readInt();
        int entriesPerFile = state.readInt();
        if (version != QueueImage.VERSION || entriesPerFile != config.entriesPerFile()) {
            throw new IOException("queue checkpoint of version " + version + " with " + entriesPerFile
                    + " entries per file; this is version " + QueueImage.VERSION + " with " + config.entriesPerFile());
        }
        Set<String> topicFolders = new HashSet<>();
        int count = state.readInt();
        for (int i = 0; i < count; i++) {
            Named named = new Named(state.readUTF(), state.readInt(), state.readUTF());
            topicFolders.add(QueueFiles.topicFolder(named.topic()));
            ConsumeQueue queue = maker.apply(named);
            readQueue(queue);
            queues.accept(queue);
        }
        int names = state.readInt();
        for (int i = 0; i < names; i++) {
            garbage.add(state.readUTF());
        }
        dropStrangers(topicFolders, garbage);
    }

    private void readQueue(ConsumeQueue queue) throws IOException {
        long min = state.readLong();
        long max = state.readLong();
        QueueMark mark = new QueueMark(
                min,
                max,
                state.readLong(),
                state.readLong(),
                state.readLong(),
                state.readLong(),
                QueueGaps.read(state));
        if (min < 0 || min > max || mark.fileEnd() > max) {
            throw new IOException("queue checkpoint places " + queue + " at " + mark);
        }
        checkFiles(queue, mark);
        queue.restore(mark);
        for (long at = mark.fileEnd(); at < max; at++) {
            long behind = mark.gaps().endOf(at);
            if (behind > at) {
                queue.goOnAt(behind);
                at = behind - 1;
                continue;
            }
            state.readFully(entry);
            queue.put(
                    QueueEntry.physicalOffset(entry, 0), QueueEntry.sizeBytes(entry, 0), QueueEntry.tagHash(entry, 0));
        }
    }

    private void checkFiles(ConsumeQueue queue, QueueMark mark) throws IOException {
        if (mark.minOffset() >= mark.fileEnd()) {
            return;
        }
        Set<String> present = new HashSet<>(disk.list(queue.folder()));
        long last = (mark.fileEnd() - 1) / config.entriesPerFile();
        for (long index = mark.minOffset() / config.entriesPerFile(); index <= last; index++) {
            long from = Math.max(mark.minOffset(), index * config.entriesPerFile());
            if (mark.gaps().endOf(from) >= Math.min(mark.fileEnd(), (index + 1) * config.entriesPerFile())) {
                continue; // nothing was ever written to it
            }
            String name = QueueFiles.fileName(queue.folder(), index * config.fileBytes());
            if (!present.contains(name.substring(queue.folder().length() + 1))) {
                throw new IOException("queue file " + name + " is missing");
            }
            checkSize(name);
        }
    }

    private void checkSize(String name) throws IOException {
        try (var file = disk.openRead(name)) {
            if (file.size() != config.fileBytes()) {
                throw new IOException("queue file " + name + " has " + file.size() + " bytes of " + config.fileBytes());
            }
        }
    }

    /** Folders of topics nobody speaks of: left by a crash between a deletion and its cleaning. */
    private void dropStrangers(Set<String> topicFolders, Set<String> garbage) throws IOException {
        for (String child : disk.list(QueueFiles.ROOT)) {
            String folder = QueueFiles.ROOT + "/" + child;
            if (!topicFolders.contains(folder) && !child.equals(CheckpointFile.NAME)) {
                QueueImage.deleteTree(disk, folder);
                garbage.removeIf(name -> name.startsWith(folder + "/"));
            }
        }
    }
}
