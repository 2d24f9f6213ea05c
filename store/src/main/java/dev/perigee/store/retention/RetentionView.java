package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.Fact.UnknownFact;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds what retention has to know of the log: its newest time, how far that jumped when a run began, and where the log
 * was trimmed last.
 */
@OwnedBy("view loop")
public final class RetentionView implements LogView {
    /** The view's name. */
    public static final String NAME = "retention";

    private static final Logger LOG = LoggerFactory.getLogger(RetentionView.class);

    private static final int VERSION = 3;

    /** It knew of no facts that were passed over, for nothing wrote such ones. */
    private static final int VERSION_BEFORE = 2;

    private long lastStoreMs;
    private long startGapMs;
    private long trimmedTo;
    private int epoch;
    private long firstSkipped = Long.MAX_VALUE;
    private long lastSkipped = -1;

    /** Creates the view of an empty log. */
    public RetentionView() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void apply(LogEntry entry) {
        long timeMs = entry.storeTimestampMs();
        if (entry.isFact()) {
            Fact fact = entry.fact();
            if (startsEpoch(fact)) {
                startGapMs = lastStoreMs == 0 ? 0 : timeMs - lastStoreMs;
            } else if (fact instanceof UnknownFact unknown) {
                skip(entry.offset(), unknown);
            }
        }
        lastStoreMs = timeMs;
    }

    private void skip(long offset, UnknownFact fact) {
        if (firstSkipped == Long.MAX_VALUE) {
            LOG.warn(
                    "event=fact_passed_over offset={} kind={} effect=\"nothing from there on expires\"",
                    offset,
                    fact.kind());
            firstSkipped = offset;
        }
        lastSkipped = offset;
    }

    /** A fact of a later release that may be passed over stays for a release that knows it (R22). */
    @Override
    public long firstLiveOffset() {
        return firstSkipped;
    }

    /** An epoch begins with a fact of its own, or with the head of a segment when it begins there. */
    private boolean startsEpoch(@Nullable Fact fact) {
        if (fact instanceof EpochStarted started) {
            epoch = started.number();
            return true;
        }
        if (fact instanceof LogHead head && head.epochNumber() != epoch) {
            epoch = head.epochNumber();
            return true;
        }
        return false;
    }

    /** Store time of the newest entry; 0 for an empty log. */
    long lastStoreMs() {
        return lastStoreMs;
    }

    /** How much log time passed between the last entry of the former run and the first one of this. */
    long startGapMs() {
        return startGapMs;
    }

    /** Where the log starts by the newest fact about it. */
    long trimmedTo() {
        return trimmedTo;
    }

    /** Not told by a fact: {@link RetentionDuty} sees the difference. */
    @Override
    public void begunAt(long startOffset) {}

    @Override
    public void trimmed(long startOffset) {
        trimmedTo = Math.max(trimmedTo, startOffset);
        if (firstSkipped < startOffset) { // who trimmed knew it
            firstSkipped = lastSkipped < startOffset ? Long.MAX_VALUE : startOffset;
        }
    }

    @Override
    public ViewImage freeze() {
        long storeMs = lastStoreMs;
        long gapMs = startGapMs;
        long start = trimmedTo;
        int epochNumber = epoch;
        long skipped = firstSkipped;
        long skippedLast = lastSkipped;
        return target -> {
            target.writeInt(VERSION);
            target.writeLong(storeMs);
            target.writeLong(gapMs);
            target.writeLong(start);
            target.writeInt(epochNumber);
            target.writeLong(skipped);
            target.writeLong(skippedLast);
        };
    }

    @Override
    public void restore(DataInput state) throws IOException {
        int version = state.readInt();
        if (version != VERSION && version != VERSION_BEFORE) {
            throw new IOException("retention checkpoint of version " + version + "; this is " + VERSION);
        }
        lastStoreMs = state.readLong();
        startGapMs = state.readLong();
        trimmedTo = state.readLong();
        epoch = state.readInt();
        firstSkipped = Long.MAX_VALUE;
        lastSkipped = -1;
        if (version == VERSION) {
            firstSkipped = state.readLong();
            lastSkipped = state.readLong();
        }
    }

    @Override
    public void forget() {
        lastStoreMs = 0;
        startGapMs = 0;
        trimmedTo = 0;
        epoch = 0;
        firstSkipped = Long.MAX_VALUE;
        lastSkipped = -1;
    }

    @Override
    public String fingerprint() {
        return "newest " + lastStoreMs + "\n";
    }
}
