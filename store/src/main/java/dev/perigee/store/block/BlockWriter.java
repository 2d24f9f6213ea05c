package dev.perigee.store.block;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.Preparer.StandingTask;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.SpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets blocks of entries of a view into its files, in the order in which they were handed over, and makes folders and files on the way:
 * nothing of that happens on the view loop. On the preparer while that runs; before, and after it has ended, on the thread that hands
 * over.
 *
 * <p>A block that cannot be written is tried again every second, and those behind it wait. How many may wait is bounded by the view, which
 * takes no more entries ({@code hasRoom}).
 *
 * @param <B> a block, to which nothing is added any more
 */
@OwnedBy("preparer")
public final class BlockWriter<B> implements StandingTask {
    /** Where blocks go. */
    public interface Files<B> {
        /** What the block takes in memory. Any thread. */
        int sizeBytes(B block);

        /** Writes it into its file, or passes it over when nobody wants it any more. May block. A failed one comes again. */
        void write(B block) throws IOException;
    }

    private static final int CHUNK_BLOCKS = 1_024;
    private static final int BLOCKS_PER_STEP = 128;
    private static final long RETRY_MS = 1_000;
    /** A failure that lasts is logged no more often. */
    private static final long QUIET_TRIES = 60;

    private static final Logger LOG = LoggerFactory.getLogger(BlockWriter.class);

    private final String view;
    private final Files<B> files;
    private final SpscUnboundedArrayQueue<B> waiting = new SpscUnboundedArrayQueue<>(CHUNK_BLOCKS);
    /** Of the blocks that wait; also of those that were abandoned meanwhile, which nobody else counts. */
    private final AtomicLong waitingBytes = new AtomicLong();

    private volatile boolean failing;

    // The preparer's own.
    private long retryAtMs = Long.MIN_VALUE;
    private long tries;

    // Of who hands over.
    private boolean helped;
    private boolean handedOver;
    private Runnable wake = () -> {};

    /** @param view the name of the view, for log lines */
    public BlockWriter(String view, Files<B> files) {
        this.view = view;
        this.files = files;
    }

    /**
     * From now on the preparer writes. While the loops do not run.
     *
     * @param wakeWriter makes the preparer step soon; called on the view loop
     */
    public void helpedBy(Runnable wakeWriter) {
        wake = wakeWriter;
        helped = true;
    }

    /** From now on who hands over writes. While the loops do not run. */
    public void unhelped() {
        helped = false;
    }

    /** Queues a block to which nothing is added any more. View loop. */
    public void take(B block) {
        waitingBytes.addAndGet(files.sizeBytes(block));
        waiting.add(block);
        if (helped) {
            handedOver = true;
        } else {
            write(Integer.MAX_VALUE);
        }
    }

    /** Wakes the preparer when blocks were queued since this was called last. View loop. */
    public void wakeForTaken() {
        if (handedOver) {
            handedOver = false;
            wake.run();
        }
    }

    /** Tries what waits again where nobody else does. View loop. */
    public void retryUnhelped() {
        if (!helped && !waiting.isEmpty()) {
            write(Integer.MAX_VALUE);
        }
    }

    /** Bytes of the blocks that wait. Any thread. */
    public long waitingBytes() {
        return waitingBytes.get();
    }

    /** Whether the last try to write failed. Any thread. */
    public boolean isFailing() {
        return failing;
    }

    @Override
    public boolean step(long nowMs) {
        if (waiting.isEmpty() || nowMs < retryAtMs) {
            return false;
        }
        retryAtMs = write(BLOCKS_PER_STEP) ? Long.MIN_VALUE : nowMs + RETRY_MS;
        return true;
    }

    @Override
    public long nextMs() {
        return waiting.isEmpty() ? Long.MAX_VALUE : retryAtMs;
    }

    /** False when a block could not be written; it stays the next one. */
    private boolean write(int maxBlocks) {
        B block = waiting.peek();
        for (int i = 0; block != null && i < maxBlocks; i++) {
            try {
                files.write(block);
            } catch (IOException e) {
                failed(block, e);
                return false;
            }
            written(block);
            waiting.poll();
            waitingBytes.addAndGet(-files.sizeBytes(block));
            block = waiting.peek();
        }
        return true;
    }

    private void written(B block) {
        if (failing) {
            failing = false;
            LOG.info("event=view_write_recovered view={} block={} tries={}", view, block, tries);
            tries = 0;
        }
    }

    private void failed(B block, IOException cause) {
        if (tries++ % QUIET_TRIES == 0) {
            LOG.error(
                    "event=view_write_failed view={} block={} tries={} action=keep_in_memory retryMs={}",
                    view,
                    block,
                    tries,
                    RETRY_MS,
                    cause);
        }
        failing = true;
    }

    /** Forgets what waits. While the loops do not run. */
    public void clear() {
        waiting.clear();
        waitingBytes.set(0);
        failing = false;
        tries = 0;
        retryAtMs = Long.MIN_VALUE;
    }
}
