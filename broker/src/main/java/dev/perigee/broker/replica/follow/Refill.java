package dev.perigee.broker.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a replica that began empty may be read (R21): not before its views have applied what the master had confirmed when
 * the replica said hello. That it began empty outlasts a restart as the file {@code refilling} beside the log's folder, made
 * before the first byte is asked for and removed when the replica is full.
 */
@ThreadSafe
public final class Refill implements Duty {
    /** The file, beside the log's folder; what it says is for readers. */
    public static final String FILE = "refilling";

    private static final String TEXT = "This log is being filled from the master's; nothing is read from it yet.\n";
    private static final long UNKNOWN = -1;
    private static final Logger LOG = LoggerFactory.getLogger(Refill.class);

    private final Disk disk;
    private final CommitLog log;
    private final LongSupplier appliedOffset;
    private final Predicate<PacedTask> background;
    private volatile boolean full;
    private volatile long wantedOffset = UNKNOWN;

    private Refill(
            Disk disk, CommitLog log, LongSupplier appliedOffset, Predicate<PacedTask> background, boolean full) {
        this.disk = disk;
        this.log = log;
        this.appliedOffset = appliedOffset;
        this.background = background;
        this.full = full;
    }

    /**
     * Of a replica that starts. Blocks.
     *
     * @param appliedOffset how far all views are
     * @param background takes a task to the preparer; false when too many wait
     * @throws IOException when the folder cannot be read, or does not take the file
     */
    public static Refill of(Disk disk, CommitLog log, LongSupplier appliedOffset, Predicate<PacedTask> background)
            throws IOException {
        boolean empty = log.endOffset() == log.startOffset();
        boolean begun = disk.exists(FILE);
        if (empty && !begun) {
            disk.replace(FILE, ByteBuffer.wrap(TEXT.getBytes(StandardCharsets.US_ASCII)));
        }
        return new Refill(disk, log, appliedOffset, background, !empty && !begun);
    }

    /**
     * Of a broker that starts as a master: what is half filled is not what its master had. Blocks.
     *
     * @throws IOException when the log is one
     */
    public static void requireFull(Disk disk) throws IOException {
        if (disk.exists(FILE)) {
            throw new IOException("the log was being filled from its master's and is not full (file " + FILE
                    + "): a master that began with it would lose the rest; start this broker as a slave (brokerRole=SLAVE), or delete"
                    + " the file to accept the loss");
        }
    }

    /** The master has said up to where its log is confirmed. */
    void greeted(long confirmOffset) {
        if (!full && wantedOffset == UNKNOWN) {
            wantedOffset = confirmOffset;
            LOG.info("event=refill_begun fromOffset={} wantedOffset={}", log.endOffset(), confirmOffset);
        }
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        if (full || !isReached() || !background.test(this::removeMark)) {
            return 0;
        }
        full = true;
        LOG.info("event=refill_done appliedOffset={}", appliedOffset.getAsLong());
        return 1;
    }

    private boolean removeMark() {
        try {
            disk.delete(FILE);
            disk.syncFolder("");
        } catch (IOException e) { // then the next start looks again
            LOG.warn("event=refill_mark_not_removed file={}", FILE, e);
        }
        return false;
    }

    private boolean isReached() {
        return wantedOffset != UNKNOWN && appliedOffset.getAsLong() >= wantedOffset;
    }

    /** Why it may not be read yet; empty when it may. */
    public Optional<String> notYet() {
        if (full || isReached()) {
            return Optional.empty();
        }
        return Optional.of(
                wantedOffset == UNKNOWN
                        ? "its log is empty or half filled, and its master was not heard yet"
                        : "its log is being filled: it is read up to " + appliedOffset.getAsLong() + " of "
                                + wantedOffset);
    }
}
