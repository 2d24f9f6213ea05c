package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.Preparer.StandingTask;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.SpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets blocks of entries into the files of their queues, in the order in which they were handed over, and makes folders and files on
 * the way: nothing of that happens on the view loop. On the preparer while that runs; before, and after it has ended, on the
 * thread that hands over.
 *
 * <p>A block that cannot be written is tried again every second, and those behind it wait. How many may wait is bounded by the memory
 * of the {@link QueueTails}.
 */
@OwnedBy("preparer")
final class QueueWriter implements StandingTask {
    private static final int CHUNK_BLOCKS = 1_024;
    private static final int BLOCKS_PER_STEP = 128;
    private static final long RETRY_MS = 1_000;
    /** A failure that lasts is logged no more often. */
    private static final long QUIET_TRIES = 60;

    private static final Logger LOG = LoggerFactory.getLogger(QueueWriter.class);

    private final QueueFiles files;
    private final SpscUnboundedArrayQueue<EntryBlock> waiting = new SpscUnboundedArrayQueue<>(CHUNK_BLOCKS);
    /** Of the blocks that wait; also of those that were abandoned meanwhile, which nobody else counts. */
    private final AtomicLong waitingBytes = new AtomicLong();

    private volatile boolean failing;

    // The preparer's own.
    private long retryAtMs = Long.MIN_VALUE;
    private long tries;

    // Of who hands over.
    private boolean helped;
    private boolean handedOver;

    QueueWriter(QueueFiles files) {
        this.files = files;
    }

    /** From now on the preparer writes, or from now on who hands over does. While the loops do not run. */
    void helpedByPreparer(boolean now) {
        helped = now;
    }

    /** Queues a block to which nothing is added any more. View loop. */
    void take(EntryBlock block) {
        waitingBytes.addAndGet(block.bytes.length);
        waiting.add(block);
        if (helped) {
            handedOver = true;
        } else {
            write(Integer.MAX_VALUE);
        }
    }

    /** Whether blocks were queued since this was asked last: the preparer has to be woken. View loop. */
    boolean tookSome() {
        boolean some = handedOver;
        handedOver = false;
        return some;
    }

    /** Bytes of the blocks that wait. Any thread. */
    long waitingBytes() {
        return waitingBytes.get();
    }

    /** Whether the last try to write failed. Any thread. */
    boolean isFailing() {
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
        EntryBlock block = waiting.peek();
        for (int i = 0; block != null && i < maxBlocks; i++) {
            try {
                write(block);
            } catch (IOException e) {
                failed(block, e);
                return false;
            }
            waiting.poll();
            waitingBytes.addAndGet(-block.bytes.length);
            block = waiting.peek();
        }
        return true;
    }

    private void write(EntryBlock block) throws IOException {
        if (block.isAbandoned()) {
            return;
        }
        files.write(block.queue.folder(), block.firstOffset, block.bytes, 0, block.count);
        block.inFile();
        if (failing) {
            failing = false;
            LOG.info("event=queue_write_recovered queue={} tries={}", block.queue, tries);
            tries = 0;
        }
    }

    private void failed(EntryBlock block, IOException cause) {
        if (tries++ % QUIET_TRIES == 0) {
            LOG.error(
                    "event=queue_write_failed queue={} tries={} action=keep_in_memory retryMs={}",
                    block.queue,
                    tries,
                    RETRY_MS,
                    cause);
        }
        failing = true;
    }

    /** Forgets what waits. While the loops do not run. */
    void clear() {
        waiting.clear();
        waitingBytes.set(0);
        failing = false;
        tries = 0;
        retryAtMs = Long.MIN_VALUE;
    }
}
