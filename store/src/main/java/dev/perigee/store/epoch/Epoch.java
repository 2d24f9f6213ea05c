package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;

/**
 * One uninterrupted right to append, and where its bytes begin.
 *
 * @param number rises from epoch to epoch
 * @param id tells two epochs of one number apart; 0 when it is not known, which equals no other
 * @param startOffset where its first byte lies, which may be before the start of a trimmed log
 */
@Immutable
public record Epoch(int number, long id, long startOffset) {
    /** Whether both are the same right to append: equal numbers are not enough (R9). */
    public boolean isSameAs(Epoch other) {
        return number == other.number && id == other.id && id != 0;
    }
}
