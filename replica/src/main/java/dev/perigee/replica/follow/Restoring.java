package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.OldLog;
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
 * Whether a replica may have forgotten bytes that it answered for (R5), or began empty (R21): then it counts for nobody and is read by
 * nobody before it holds, durably and in its views, all that the master had when the replica said hello, and that is confirmed.
 *
 * <p>That it began empty outlasts a restart as the file {@code refilling} beside the log's folder, made before the first byte is asked
 * for. That its log lost something is remembered by the log itself.
 */
@ThreadSafe
public final class Restoring implements Duty {
    /** The file, beside the log's folder; what it says is for readers. */
    public static final String FILE = "refilling";

    private static final String TEXT = "This log is being filled from the master's; nothing is read from it yet.\n";
    private static final long UNKNOWN = -1;
    /** Until it is looked again whether what is wanted is here and durable. */
    private static final long LOOK_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(Restoring.class);

    /** Why a replica is restoring. */
    public enum Cause {
        /** It is not. */
        NONE(""),
        /** It began empty. */
        EMPTY("its log is empty or half filled"),
        /** Its machine went down with bytes that were not on the disk, or its end was cut off. */
        FORGOT("its log may have lost what it held, when its machine went down or its end was cut off");

        private final String words;

        Cause(String words) {
            this.words = words;
        }
    }

    private final Disk disk;
    private final CommitLog log;
    private final LongSupplier appliedOffset;
    private final Predicate<PacedTask> background;
    private final Cause cause;
    private volatile boolean over;
    private volatile long wantedOffset = UNKNOWN;
    private volatile Runnable onOver = () -> {};
    private long lookMs = Long.MIN_VALUE;

    private Restoring(
            Disk disk, CommitLog log, LongSupplier appliedOffset, Predicate<PacedTask> background, Cause cause) {
        this.disk = disk;
        this.log = log;
        this.appliedOffset = appliedOffset;
        this.background = background;
        this.cause = cause;
        this.over = cause == Cause.NONE;
    }

    /**
     * Of a replica that starts. Blocks.
     *
     * @param mayHaveForgotten whether its log ends, or may end, before what it answered for
     * @param appliedOffset how far all views are
     * @param background takes a task to the preparer; false when too many wait
     * @throws IOException when the folder cannot be read, or does not take the file
     */
    public static Restoring of(
            Disk disk,
            CommitLog log,
            boolean mayHaveForgotten,
            LongSupplier appliedOffset,
            Predicate<PacedTask> background)
            throws IOException {
        boolean empty = log.endOffset() == log.startOffset();
        boolean begun = disk.exists(FILE);
        if (empty && !begun) {
            disk.replace(FILE, ByteBuffer.wrap(TEXT.getBytes(StandardCharsets.US_ASCII)));
        }
        Cause cause = empty || begun ? Cause.EMPTY : mayHaveForgotten ? Cause.FORGOT : Cause.NONE;
        if (cause != Cause.NONE) {
            LOG.info("event=restoring_begun cause={} endOffset={}", cause, log.endOffset());
        }
        return new Restoring(disk, log, appliedOffset, background, cause);
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

    /** Names who is told, once, that it is over; on the view loop, must not block. Before that runs. */
    public void onOver(Runnable listener) {
        onOver = listener;
    }

    /** A master takes this replica in, and its log ends there. */
    void greeted(long masterEndOffset) {
        if (!over) {
            wantedOffset = masterEndOffset;
            LOG.info("event=restoring cause={} fromOffset={} wantedOffset={}", cause, log.endOffset(), masterEndOffset);
        }
    }

    /** Whether it counts for nobody. Any thread. */
    boolean isOn() {
        return !over;
    }

    /** Whether it began empty and is not full yet. Any thread. */
    boolean isFilling() {
        return !over && cause == Cause.EMPTY;
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        lookMs = nowMs + LOOK_MS;
        if (over || !isReached() || (cause == Cause.EMPTY && !background.test(this::removeMark))) {
            return 0;
        }
        over = true;
        LOG.info("event=restoring_done cause={} appliedOffset={}", cause, appliedOffset.getAsLong());
        onOver.run();
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        return over ? Long.MAX_VALUE : lookMs;
    }

    /** First the log that was here before, which was kept until now. */
    private boolean removeMark() {
        try {
            if (OldLog.removeSome(disk)) {
                return true;
            }
            disk.delete(FILE);
            disk.syncFolder("");
        } catch (IOException e) { // then the next start looks again
            LOG.warn("event=refill_mark_not_removed file={}", FILE, e);
        }
        return false;
    }

    /** What is applied is confirmed, and by others, for this replica counts for none. */
    private boolean isReached() {
        return wantedOffset != UNKNOWN && Math.min(appliedOffset.getAsLong(), log.syncedOffset()) >= wantedOffset;
    }

    /** Why it may not be read yet; empty when it may. */
    public Optional<String> notYet() {
        if (over || isReached()) {
            return Optional.empty();
        }
        return Optional.of(
                wantedOffset == UNKNOWN
                        ? cause.words + ", and its master was not heard yet"
                        : cause.words + ": it is filled up to " + appliedOffset.getAsLong() + " of " + wantedOffset);
    }
}
