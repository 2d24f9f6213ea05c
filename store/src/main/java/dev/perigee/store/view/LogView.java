package dev.perigee.store.view;

import dev.perigee.store.disk.Disk;
import java.io.IOException;

/**
 * A fold over confirmed entries. Called only on the view loop, in log order, at least once per entry after a checkpoint.
 * Deterministic: no clock, no chance, no IO besides its own files.
 */
public interface LogView {
    /** Its name; also that of its folder. */
    String name();

    void apply(LogEntry entry);

    /** The byte after the last entry applied. */
    long appliedOffset();

    /** Saves state and the offset it covers. A cache: losing it costs a replay. */
    void checkpoint(Disk disk) throws IOException;

    /** The log ends here: forget everything behind it. */
    void truncateTo(long endOffset) throws IOException;

    /** The oldest byte it still needs; {@link Long#MAX_VALUE} when nothing old is needed. */
    long firstLiveOffset();

    /** The log now starts here. */
    void trimmed(long startOffset) throws IOException;
}
