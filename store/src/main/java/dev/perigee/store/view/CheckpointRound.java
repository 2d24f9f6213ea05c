package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.ForceFailedException;
import dev.perigee.store.epoch.EpochFile;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One checkpoint of all views at one position: the files of each are forced, then its state is written, then what no
 * checkpoint needs any more is deleted. A failure ends the round and leaves the former checkpoints.
 */
@OwnedBy("preparer")
final class CheckpointRound implements PacedTask {
    /** What the view loop handed over for one view. */
    record Part(String view, ViewImage image) {}

    /** How a round stands. */
    enum Outcome {
        RUNNING,
        DURABLE,
        /** The same may succeed later. */
        FAILED,
        /** What the views wrote may be lost although its pages look clean: no later force can be trusted. */
        PAGES_LOST
    }

    private enum Stage {
        FORCE,
        WRITE,
        CLEAN
    }

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointRound.class);

    private final Disk disk;
    private final LogPosition position;
    private final EpochFile epochs;
    private final List<Part> parts;
    private Stage stage = Stage.FORCE;
    private int next;
    private volatile Outcome outcome = Outcome.RUNNING;

    /** @param epochs of the log up to the position; written before the views' states, which must not be ahead of it */
    CheckpointRound(Disk disk, LogPosition position, EpochFile epochs, List<Part> parts) {
        this.disk = disk;
        this.epochs = epochs;
        this.position = position;
        this.parts = parts;
    }

    LogPosition position() {
        return position;
    }

    Outcome outcome() {
        return outcome;
    }

    @Override
    public boolean step() throws IOException {
        if (outcome != Outcome.RUNNING) {
            return false;
        }
        try {
            return advance();
        } catch (IOException e) {
            outcome = stage == Stage.FORCE && e instanceof ForceFailedException ? Outcome.PAGES_LOST : Outcome.FAILED;
            LOG.error("event=checkpoint_failed offset={} stage={} part={}", position.offset(), stage, next, e);
            return false;
        }
    }

    private boolean advance() throws IOException {
        if (next == parts.size()) {
            return nextStage();
        }
        Part part = parts.get(next);
        boolean more = switch (stage) {
            case FORCE -> part.image().forceSome(disk);
            case WRITE -> write(part);
            case CLEAN -> part.image().cleanSome(disk);
        };
        if (!more) {
            next++;
        }
        return true;
    }

    private boolean write(Part part) throws IOException {
        CheckpointFile.write(disk, part.view(), part.view(), position, part.image()::write);
        return false;
    }

    private boolean nextStage() throws IOException {
        next = 0;
        if (stage == Stage.CLEAN) {
            outcome = Outcome.DURABLE;
            return false;
        }
        if (stage == Stage.FORCE) {
            stage = Stage.WRITE;
            epochs.write(disk);
        } else {
            stage = Stage.CLEAN;
        }
        return true;
    }
}
