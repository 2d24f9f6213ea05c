package dev.perigee.store.retention;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Folds what retention has to know of the log: its newest time, how far that jumped when a run began, and where the log
 * was trimmed last.
 */
@OwnedBy("view loop")
public final class RetentionView implements LogView {
    /** The view's name. */
    public static final String NAME = "retention";

    private static final int VERSION = 2;

    private long lastStoreMs;
    private long startGapMs;
    private long trimmedTo;
    private int epoch;

    /** Creates the view of an empty log. */
    public RetentionView() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void apply(LogEntry entry) {
        long timeMs = entry.storeTimestampMs();
        if (entry.isFact() && startsEpoch(entry.fact())) {
            startGapMs = lastStoreMs == 0 ? 0 : timeMs - lastStoreMs;
        }
        lastStoreMs = timeMs;
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
    }

    @Override
    public ViewImage freeze() {
        long storeMs = lastStoreMs;
        long gapMs = startGapMs;
        long start = trimmedTo;
        int epochNumber = epoch;
        return target -> {
            target.writeInt(VERSION);
            target.writeLong(storeMs);
            target.writeLong(gapMs);
            target.writeLong(start);
            target.writeInt(epochNumber);
        };
    }

    @Override
    public void restore(DataInput state) throws IOException {
        int version = state.readInt();
        if (version != VERSION) {
            throw new IOException("retention checkpoint of version " + version + "; this is " + VERSION);
        }
        lastStoreMs = state.readLong();
        startGapMs = state.readLong();
        trimmedTo = state.readLong();
        epoch = state.readInt();
    }

    @Override
    public void forget() {
        lastStoreMs = 0;
        startGapMs = 0;
        trimmedTo = 0;
        epoch = 0;
    }

    @Override
    public String fingerprint() {
        return "newest " + lastStoreMs + "\n";
    }
}
