package dev.perigee.broker.timer;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.property.PropertyKey;
import org.jspecify.annotations.Nullable;

/**
 * The value of the property {@link PropertyKey#TIMER_MARK}, by which the log says what waits and what was delivered, so that
 * views need not read any other frame.
 *
 * <pre>
 * in the topic SCHEDULE_TOPIC_XXXX
 *   due                  the message waits since this frame, which names it: its birth is the offset of the frame
 *   due:birth:readAt     a copy of the waiting message, made before the frame at readAt went
 * in any other topic
 *   due:birth:readAt     the delivery of the waiting message, made from the frame at readAt; closes it
 * </pre>
 *
 * <p>All are decimal numbers: {@code due} wall time in milliseconds, {@code birth} and {@code readAt} offsets of the log.
 *
 * @param dueMs when the message is due
 * @param birth the offset of its first frame; {@link #HERE} for "of this frame"
 * @param readAt the offset of the frame that this one was made from; {@link #HERE} when there is none
 */
@Immutable
public record TimerMark(long dueMs, long birth, long readAt) {
    /** Stands for the frame that carries the mark. */
    public static final long HERE = -1;

    /** How many bytes longer the mark of a copy may be than that of the first frame. */
    public static final int GROWTH_BYTES = 2 * (1 + 19);

    private static final char SEPARATOR = ':';

    /** The mark of a message that begins to wait. */
    public static TimerMark waiting(long dueMs) {
        return new TimerMark(dueMs, HERE, HERE);
    }

    /** Whether the frame is the first of its message. */
    boolean isFirst() {
        return birth == HERE;
    }

    /** The value of the property. */
    public String text() {
        return isFirst() ? Long.toString(dueMs) : dueMs + ":" + birth + ":" + readAt;
    }

    /** The mark in a property; null when it is none. */
    static @Nullable TimerMark parse(String text) {
        int first = text.indexOf(SEPARATOR);
        int second = text.indexOf(SEPARATOR, first + 1);
        try {
            if (first < 0) {
                return sound(new TimerMark(Long.parseLong(text), HERE, HERE), HERE);
            }
            if (second < 0) {
                return null;
            }
            return sound(
                    new TimerMark(
                            Long.parseLong(text.substring(0, first)),
                            Long.parseLong(text.substring(first + 1, second)),
                            Long.parseLong(text.substring(second + 1))),
                    0);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable TimerMark sound(TimerMark mark, long lowest) {
        return mark.dueMs < 0 || mark.birth < lowest || mark.readAt < lowest ? null : mark;
    }
}
