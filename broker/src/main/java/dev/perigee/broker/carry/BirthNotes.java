package dev.perigee.broker.carry;

import dev.perigee.loop.OwnedBy;
import java.util.HashSet;
import java.util.Set;

/**
 * The births of messages, or halves of transactions, that changed while the store is looked at elsewhere, for what is found there may be of before. At most
 * {@link #MAX_NOTED}; when there are more, any message may have changed.
 */
@OwnedBy("view loop")
public final class BirthNotes {
    /** Remembered at most. */
    public static final int MAX_NOTED = 200_000;

    private final int max;
    private Set<Long> births = new HashSet<>();
    private boolean noting;
    private boolean overrun;

    /** With the usual limit. */
    public BirthNotes() {
        this(MAX_NOTED);
    }

    BirthNotes(int max) {
        this.max = max;
    }

    /** From now on births are noted. */
    public void begin() {
        end();
        noting = true;
    }

    /** That message changed; does nothing when none are noted. */
    public void note(long birth) {
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
    public boolean has(long birth) {
        return overrun || births.contains(birth);
    }

    /** Whether there were too many to note. */
    public boolean isOverrun() {
        return overrun;
    }

    /** Forgets them. */
    public void end() {
        noting = false;
        overrun = false;
        births = new HashSet<>();
    }
}
