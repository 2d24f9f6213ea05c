package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A view with the place it has reached. */
@OwnedBy("view loop")
final class ViewSlot {
    private static final Logger LOG = LoggerFactory.getLogger(ViewSlot.class);

    private final LogView view;
    private long appliedOffset;

    ViewSlot(LogView view) {
        this.view = view;
    }

    LogView view() {
        return view;
    }

    /** Where the next entry for this view begins. */
    long appliedOffset() {
        return appliedOffset;
    }

    /** Gives the view its checkpoint when that belongs to this log, else makes it empty. Blocks; before the loop starts. */
    void open(Disk disk, LogIdentity log) throws IOException {
        try {
            Optional<CheckpointFile.Loaded> loaded = CheckpointFile.read(disk, view.name(), view.name());
            if (loaded.isPresent() && log.holds(loaded.get().position())) {
                view.restore(loaded.get().state());
                appliedOffset = startAt(loaded.get().position(), log);
                view.begunAt(log.startOffset());
                LOG.info("event=view_restored view={} offset={}", view.name(), appliedOffset);
                return;
            }
            LOG.info(
                    "event=view_rebuilds view={} reason={} from={}",
                    view.name(),
                    loaded.isPresent() ? "foreign_checkpoint:" + loaded.get().position() : "no_checkpoint",
                    log.startOffset());
        } catch (IOException | RuntimeException e) {
            LOG.warn("event=view_rebuilds view={} reason=bad_checkpoint from={}", view.name(), log.startOffset(), e);
        }
        CheckpointFile.delete(disk, view.name());
        view.forget();
        appliedOffset = log.startOffset();
    }

    /** A view with a durable store of its own goes on where that stands, which may be farther than the checkpoint, and than any other knows. */
    private long startAt(LogPosition checkpoint, LogIdentity log) throws IOException {
        LogPosition own = view.ownPosition().orElse(checkpoint);
        if (!log.holdsConfirmed(own) || own.offset() < checkpoint.offset()) {
            throw new IOException("the store of view " + view.name() + " stands at " + own + ", its checkpoint at "
                    + checkpoint + ", the log is " + log);
        }
        return own.offset();
    }

    void apply(LogEntry entry) {
        if (entry.offset() >= appliedOffset) {
            view.apply(entry);
        }
    }

    void trimmed(long entryOffset, long startOffset) {
        if (entryOffset >= appliedOffset) {
            view.trimmed(startOffset);
        }
    }

    /** Everything below was offered to the view. */
    void reached(LogPosition position) {
        if (position.offset() > appliedOffset) { // a view may be ahead of others after a restart
            appliedOffset = position.offset();
            view.reached(position);
        }
    }
}
