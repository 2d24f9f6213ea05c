package dev.perigee.stock.history;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A line for each operation, in the order in which they ended. Times are microseconds of the monotonic clock, which all processes of a
 * Linux machine share.
 *
 * <pre>
 * send SENDER NUMBER OUTCOME QUEUE OFFSET BEGIN END BROKER POSITION
 *                                                     OUTCOME: a send status, REFUSED or UNKNOWN; of the last two QUEUE and OFFSET are -1,
 *                                                     BROKER, the address of the one that stored it, and POSITION, its place in the log
 *                                                     there, are missing
 * receive QUEUE OFFSET SENDER-NUMBER AT               or DAMAGED for the body of nobody
 * commit QUEUE OFFSET OK|FAILED BEGIN END
 * query QUEUE OFFSET BEGIN END                        the offset the broker says is committed, -1 for none
 * end QUEUE OFFSET BEGIN END                          where the broker says the queue ends
 * stored QUEUE OFFSET SENDER-NUMBER                   read when all was over
 * </pre>
 *
 * Safe for use by several threads.
 */
public final class HistoryFile implements AutoCloseable {
    static final String DAMAGED = "DAMAGED";

    private final BufferedWriter writer;

    /** Begins a new file. */
    public HistoryFile(Path file) throws IOException {
        writer = Files.newBufferedWriter(file);
    }

    static long nowUs() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }

    synchronized void line(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        try {
            writer.append(line).append('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets readers of the file see every line so far. */
    public synchronized void flush() throws IOException {
        writer.flush();
    }

    @Override
    public synchronized void close() throws IOException {
        writer.close();
    }
}
