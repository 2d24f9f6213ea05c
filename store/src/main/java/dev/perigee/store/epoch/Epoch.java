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

    /** By hand: what the compiler gives a record is linked at its first use, which comes while a group waits for its new leader. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Epoch epoch
                && number == epoch.number
                && id == epoch.id
                && startOffset == epoch.startOffset;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(startOffset) * 31 + Long.hashCode(id) + number;
    }
}
