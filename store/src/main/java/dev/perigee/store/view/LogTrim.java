package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.PacedTask;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes trimmed segments away once every view is durable past the fact that trimmed them (R17): until then a restart still
 * replays through them. Forgotten in a crash, it is repeated with the next trim.
 */
@OwnedBy("view loop")
final class LogTrim {
    private static final long NONE = -1;
    private static final Logger LOG = LoggerFactory.getLogger(LogTrim.class);

    private final CommitLog log;
    private final Consumer<PacedTask> preparer;
    private long startOffset = NONE;
    private long factEnd;

    LogTrim(CommitLog log, Consumer<PacedTask> preparer) {
        this.log = log;
        this.preparer = preparer;
    }

    /** The log starts at an offset, says the fact that ends at {@code factEnd}. */
    void trimmed(long startOffset, long factEnd) {
        this.startOffset = Math.max(this.startOffset, startOffset);
        this.factEnd = factEnd;
    }

    int doWork(long durableOffset) {
        if (startOffset == NONE || durableOffset < factEnd) {
            return 0;
        }
        long start = startOffset;
        startOffset = NONE;
        if (start <= log.startOffset()) {
            return 0;
        }
        preparer.accept(() -> {
            long now = log.trimTo(start);
            LOG.info("event=log_trimmed startOffset={}", now);
            return false;
        });
        return 1;
    }
}
