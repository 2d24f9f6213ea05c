package dev.perigee.protocol.fact;

import java.util.List;

/**
 * Consumers committed positions, an operator reset them, or the whole table is restated.
 *
 * @param entries the positions
 * @param reset whether an operator set them, so that consumers must be told
 * @param part number of this part of a restated table, from 1; 0 when only changes are told
 * @param parts how many parts the restated table has; the table counts once all are there
 */
public record OffsetsCommitted(List<QueueCommit> entries, boolean reset, int part, int parts) implements Fact {
    static final String KIND = "OFFSETS_COMMITTED";

    public OffsetsCommitted {
        entries = entries == null ? List.of() : entries;
    }

    /** Positions consumers committed. */
    public static OffsetsCommitted changes(List<QueueCommit> entries) {
        return new OffsetsCommitted(entries, false, 0, 0);
    }

    /** Positions an operator set. */
    public static OffsetsCommitted reset(List<QueueCommit> entries) {
        return new OffsetsCommitted(entries, true, 0, 0);
    }

    /** One part of the whole table. */
    public static OffsetsCommitted table(List<QueueCommit> entries, int part, int parts) {
        return new OffsetsCommitted(entries, false, part, parts);
    }

    /** Whether this is a part of the whole table. */
    public boolean fullTable() {
        return part > 0;
    }

    /** Whether this is the last part of the whole table. */
    public boolean lastPart() {
        return part > 0 && part == parts;
    }

    @Override
    public String kind() {
        return KIND;
    }
}
