package dev.perigee.it.member;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The notes of one member in a file: what is written survives SIGKILL, because the kernel has it. Fixed records of {@value
 * #BYTES} bytes: code of the kind, index of the topic, queue, count (4 bytes each), offset, number, time (8 bytes each).
 */
final class NoteFile {
    private static final int BYTES = 40;
    private static final int NO_TOPIC = -1;

    private final Path path;
    private final List<String> topics;

    NoteFile(Path path, List<String> topics) {
        this.path = path;
        this.topics = topics;
    }

    /** Appends; any thread, one write for each note. */
    final class Writer {
        private final FileChannel channel;

        private Writer() throws IOException {
            channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }

        /** Of something that concerns no queue. */
        void add(Note.Kind kind) {
            add(new Note(kind, "", 0, 0, 0, 0, System.nanoTime()));
        }

        void add(Note note) {
            ByteBuffer record = ByteBuffer.allocate(BYTES)
                    .putInt(note.kind().code())
                    .putInt(note.topic().isEmpty() ? NO_TOPIC : topics.indexOf(note.topic()))
                    .putInt(note.queueId())
                    .putInt(note.count())
                    .putLong(note.offset())
                    .putLong(note.number())
                    .putLong(note.timeNs())
                    .flip();
            try {
                channel.write(record);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    Writer writer() throws IOException {
        return new Writer();
    }

    /** The notes from this one on, counted from 0; a member may be writing on. */
    List<Note> from(int index) throws IOException {
        if (!Files.exists(path)) {
            return List.of();
        }
        List<Note> notes = new ArrayList<>();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long begin = (long) index * BYTES;
            long whole = channel.size() / BYTES * BYTES;
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, whole - begin));
            int read = 0;
            while (bytes.hasRemaining() && read >= 0) {
                read = channel.read(bytes, begin + bytes.position());
            }
            bytes.flip();
            while (bytes.remaining() >= BYTES) {
                notes.add(read(bytes));
            }
        }
        return notes;
    }

    private Note read(ByteBuffer from) {
        Note.Kind kind = Note.Kind.of(from.getInt());
        int topic = from.getInt();
        return new Note(
                kind,
                topic == NO_TOPIC ? "" : topics.get(topic),
                from.getInt(),
                from.getInt(),
                from.getLong(),
                from.getLong(),
                from.getLong());
    }
}
