package dev.perigee.broker.transaction;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.property.PropertyKey;
import org.jspecify.annotations.Nullable;

/**
 * The value of the property {@link PropertyKey#HALF_MARK}, by which the log says which halves of transactions are undecided
 * and which message closes one, so that views need not read any other frame.
 *
 * <pre>
 * in the topic RMQ_SYS_TRANS_HALF_TOPIC
 *   nextCheck                                    undecided since this frame, which names it: its birth is the offset of the frame
 *   nextCheck:birth:readAt:queueOffset:checks    a copy of the half, made before the frame at readAt went
 * in any other topic
 *   nextCheck:birth:readAt:c                     the committed message, made from the frame at readAt; closes the half
 *   nextCheck:birth:readAt:s                     the half set aside, likewise
 * </pre>
 *
 * <p>All numbers are decimal: the time of the next check is wall time in milliseconds, as it stood before this frame; birth and
 * readAt are offsets of the log; queueOffset is the place of the first frame in its queue.
 *
 * @param kind what the frame is
 * @param nextCheckMs when producers are asked
 * @param birth the offset of the first frame; 0 in that frame itself
 * @param readAt the offset of the frame this one was made from; 0 when there is none
 * @param queueOffset of the first frame; only in copies
 * @param checks how often producers were asked; only in copies
 */
@Immutable
record HalfMark(Kind kind, long nextCheckMs, long birth, long readAt, long queueOffset, int checks) {
    /** What a marked frame is. */
    enum Kind {
        FIRST,
        COPY,
        COMMITTED,
        SET_ASIDE
    }

    /** How many bytes longer the mark of a later frame may be than that of the first one. */
    static final int GROWTH_BYTES = 4 * (1 + 19);

    private static final String SEPARATOR = ":";
    private static final String COMMITTED = "c";
    private static final String SET_ASIDE = "s";
    private static final int FIRST_PARTS = 1;
    private static final int CLOSING_PARTS = 4;
    private static final int COPY_PARTS = 5;
    private static final int LAST_OF_CLOSING = 3;
    private static final int LAST_OF_COPY = 4;

    /** The mark of a half that begins. */
    static HalfMark first(long nextCheckMs) {
        return new HalfMark(Kind.FIRST, nextCheckMs, 0, 0, 0, 0);
    }

    /** The mark of a copy of a half. */
    static HalfMark copy(Half half) {
        return new HalfMark(
                Kind.COPY, half.nextCheckMs(), half.birth(), half.offset(), half.queueOffset(), half.checks());
    }

    /** The mark of the message that is made of a half and closes it. */
    static HalfMark closing(Half half, Kind kind) {
        return new HalfMark(kind, half.nextCheckMs(), half.birth(), half.offset(), 0, 0);
    }

    /** The value of the property. */
    String text() {
        String begin = kind == Kind.FIRST ? "" : SEPARATOR + birth + SEPARATOR + readAt + SEPARATOR;
        return nextCheckMs
                + begin
                + switch (kind) {
                    case FIRST -> "";
                    case COPY -> queueOffset + SEPARATOR + checks;
                    case COMMITTED -> COMMITTED;
                    case SET_ASIDE -> SET_ASIDE;
                };
    }

    /** The mark in a property; null when it is none. */
    static @Nullable HalfMark parse(String text) {
        String[] parts = text.split(SEPARATOR, -1);
        try {
            return sound(
                    switch (parts.length) {
                        case FIRST_PARTS -> first(Long.parseLong(text));
                        case CLOSING_PARTS -> closing(parts);
                        case COPY_PARTS ->
                            new HalfMark(
                                    Kind.COPY,
                                    Long.parseLong(parts[0]),
                                    Long.parseLong(parts[1]),
                                    Long.parseLong(parts[2]),
                                    Long.parseLong(parts[LAST_OF_CLOSING]),
                                    Integer.parseInt(parts[LAST_OF_COPY]));
                        default -> null;
                    });
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable HalfMark closing(String[] parts) {
        Kind kind = switch (parts[LAST_OF_CLOSING]) {
            case COMMITTED -> Kind.COMMITTED;
            case SET_ASIDE -> Kind.SET_ASIDE;
            default -> null;
        };
        return kind == null
                ? null
                : new HalfMark(
                        kind, Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]), 0, 0);
    }

    private static @Nullable HalfMark sound(@Nullable HalfMark mark) {
        return mark == null
                        || mark.nextCheckMs < 0
                        || mark.birth < 0
                        || mark.readAt < 0
                        || mark.queueOffset < 0
                        || mark.checks < 0
                ? null
                : mark;
    }
}
