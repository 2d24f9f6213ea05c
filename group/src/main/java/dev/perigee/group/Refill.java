package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.OldLog;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log that ends before its leader's first byte (R21): the next start sets it aside and begins empty, as a node that may have forgotten
 * bytes, with its vote and the name of its folder; what was set aside is removed when the node is sure again of what it holds.
 */
@ThreadSafe
final class Refill {
    private static final Logger LOG = LoggerFactory.getLogger(Refill.class);

    private final Disk disk;
    private final boolean underWay;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private volatile Predicate<PacedTask> background = task -> false;
    private volatile Consumer<Throwable> mustStop = why -> {};
    private volatile Runnable whenDone = () -> {};

    /**
     * Sets aside what is to be. Blocks; before anything of the folder is read.
     *
     * @throws IOException when the folder does not take it
     */
    Refill(Disk disk) throws IOException {
        this.disk = disk;
        OldLog.setAside(disk, Restoring.FILE);
        this.underWay = disk.exists(Restoring.FILE);
    }

    /** Whether this start found a log that began empty in another one's place and is not known to be full. */
    boolean isUnderWay() {
        return underWay;
    }

    /** Names what has the preparer do slow work; false when too many tasks wait. */
    void by(Predicate<PacedTask> preparer) {
        background = preparer;
    }

    /** Names who hears, once, on the preparer, that this process is to stop, so that the next start begins anew. */
    void onWanted(Consumer<Throwable> listener) {
        mustStop = listener;
    }

    /** Names what is to be done when the node is sure of what it holds. Before it begins. */
    void onDone(Runnable task) {
        whenDone = task;
    }

    /** The leader has nothing any more of what follows this log. Any thread. */
    void want(String reason) {
        if (wanted.compareAndSet(false, true) && !background.test(() -> prepare(reason))) {
            wanted.set(false); // at the next hello
        }
    }

    private boolean prepare(String reason) throws IOException {
        OldLog.wantRefill(disk, reason);
        mustStop.accept(new IOException(reason + " (what is here is set aside in " + OldLog.FOLDER + ")"));
        return false;
    }

    /** The node is sure of what it holds. Any thread. */
    void done() {
        whenDone.run();
        if (underWay && !background.test(this::removeMark)) {
            LOG.warn("event=refill_mark_not_removed reason=\"too much waits for the preparer\""); // the next start is
            // restoring again
        }
    }

    /** First the log that was here before, which was kept until now. */
    private boolean removeMark() throws IOException {
        if (OldLog.removeSome(disk)) {
            return true;
        }
        disk.delete(Restoring.FILE);
        disk.syncFolder("");
        LOG.info("event=refilled");
        return false;
    }
}
