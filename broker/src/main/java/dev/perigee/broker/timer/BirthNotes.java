package dev.perigee.broker.timer;

import dev.perigee.loop.OwnedBy;
import java.util.HashSet;
import java.util.Set;

/**
 * The births of messages that changed while the store is looked at elsewhere, for what is found there may be of before. At most
 * {@link #MAX_NOTED}; when there are more, any message may have changed.
 */
@OwnedBy("view loop")
final class BirthNotes {
    /** Remembered at most. */
    static final int MAX_NOTED = 200_000;

    private final int max;
    private Set<Long> births = new HashSet<>();
    private boolean noting;
    private boolean overrun;

    BirthNotes() {
        this(MAX_NOTED);
    }

    BirthNotes(int max) {
        this.max = max;
    }

    /** From now on births are noted. */
    void begin() {
        end();
        noting = true;
    }

    /** That message changed; does nothing when none are noted. */
    void note(long birth) {
        if (!noting || overrun) {
            return;
        }
        births.add(birth);
        if (births.size() > max) {
            overrun = true;
            births = new HashSet<>();
        }
    }

    /** Whether that message may have changed. */
    boolean has(long birth) {
        return overrun || births.contains(birth);
    }

    /** Whether there were too many to note. */
    boolean isOverrun() {
        return overrun;
    }

    /** Forgets them. */
    void end() {
        noting = false;
        overrun = false;
        births = new HashSet<>();
    }
}
