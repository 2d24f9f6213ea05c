package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the confirm offset of a replica's log to {@link ConfirmedFile} now and then, on the preparer: one write at a time, of
 * what is confirmed when it begins. What is kept may be some writes behind, and is made good by the views' own positions.
 */
@ThreadSafe
public final class ConfirmedKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(ConfirmedKeeper.class);

    private final ConfirmedFile file;
    private final CommitLog log;
    private final Predicate<PacedTask> background;
    private final AtomicBoolean writing = new AtomicBoolean();
    private volatile long kept;

    /**
     * @param before what is kept already: it is replaced by more, and never by less
     * @param background takes a task to the preparer; false when too many wait
     */
    public ConfirmedKeeper(Disk disk, CommitLog log, Confirmed before, Predicate<PacedTask> background) {
        this.file = new ConfirmedFile(disk);
        this.log = log;
        this.kept = before.offset();
        this.background = background;
    }

    /** Sees to it that what is confirmed now is kept soon. */
    public void keep() {
        if (isBehind() && writing.compareAndSet(false, true) && !background.test(this::write)) {
            writing.set(false); // at the next call
        }
    }

    /**
     * Keeps what is confirmed now, be it less than what was kept: a master that lost some of that must not take what it writes in
     * its place for confirmed. Blocks; nothing else keeps meanwhile.
     */
    public void keepHere() throws IOException {
        long confirm = log.confirmOffset();
        Optional<Epoch> epoch = log.extent().epochs().at(confirm - 1);
        file.write(
                log.logId(),
                new Confirmed(
                        confirm,
                        epoch.map(Epoch::number).orElse(0),
                        epoch.map(Epoch::id).orElse(0L)));
        kept = confirm;
    }

    /** Whether more is confirmed than was kept. Any thread. */
    public boolean isBehind() {
        return log.confirmOffset() > kept;
    }

    private boolean write() {
        try {
            keepHere();
        } catch (IOException e) {
            LOG.warn("event=confirmed_not_kept file={} confirmOffset={}", ConfirmedFile.FILE, log.confirmOffset(), e);
        } finally {
            writing.set(false);
        }
        return false;
    }
}
