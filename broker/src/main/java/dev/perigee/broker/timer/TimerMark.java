package dev.perigee.broker.timer;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.property.PropertyKey;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The value of the property {@link PropertyKey#TIMER_MARK}, by which the log says what waits and what was delivered, so that
 * views need not read any other frame.
 *
 * <pre>
 * in the topics SCHEDULE_TOPIC_XXXX and rmq_sys_wheel_timer
 *   due                  the message waits since this frame, which names it: its birth is the offset of the frame
 *   due:birth:readAt     a copy of the waiting message, made before the frame at readAt went
 * in any other topic
 *   due:birth:readAt     the delivery of the waiting message, made from the frame at readAt; closes it
 * behind each, where there is something to say
 *   ,h&lt;16 hex digits&gt;    by what it can be recalled
 *   ,s&lt;number&gt;           by how much the clock of waiting messages was ahead of the wall clock
 * </pre>
 *
 * <p>The others are decimal numbers: {@code due} milliseconds by the {@link TimerClock}, {@code birth} and {@code readAt}
 * offsets of the log. What follows a comma with another letter is passed over.
 *
 * @param dueMs when the message is due
 * @param birth the offset of its first frame; {@link #HERE} for "of this frame"
 * @param readAt the offset of the frame that this one was made from; {@link #HERE} when there is none
 * @param recallHash see {@link RecallHash}
 * @param shiftMs by how much the {@link TimerClock} was ahead of the wall clock
 */
@Immutable
public record TimerMark(long dueMs, long birth, long readAt, long recallHash, long shiftMs) {
    /** Stands for the frame that carries the mark. */
    public static final long HERE = -1;

    /** How many bytes longer the mark of a copy may be than that of the first frame. */
    public static final int GROWTH_BYTES = 2 * (1 + 19) + 2 + 20;

    private static final char SEPARATOR = ':';
    private static final char MORE = ',';
    private static final char HASH = 'h';
    private static final char SHIFT = 's';
    private static final int HEX = 16;

    /** The mark of a message that begins to wait. */
    static TimerMark waiting(DueTime.At due, long recallHash) {
        return new TimerMark(due.dueMs(), HERE, HERE, recallHash, due.shiftMs());
    }

    /** Whether the frame is the first of its message. */
    boolean isFirst() {
        return birth == HERE;
    }

    /** The value of the property. */
    public String text() {
        StringBuilder text = new StringBuilder().append(dueMs);
        if (!isFirst()) {
            text.append(SEPARATOR).append(birth).append(SEPARATOR).append(readAt);
        }
        if (recallHash != RecallHash.NONE) {
            text.append(MORE).append(HASH).append(HexFormat.of().toHexDigits(recallHash));
        }
        if (shiftMs != 0) {
            text.append(MORE).append(SHIFT).append(shiftMs);
        }
        return text.toString();
    }

    /** The mark in a property; null when it is none. */
    static @Nullable TimerMark parse(String text) {
        String[] parts = text.split(String.valueOf(MORE), -1);
        String[] numbers = parts[0].split(String.valueOf(SEPARATOR), -1);
        try {
            long hash = RecallHash.NONE;
            long shiftMs = 0;
            for (int i = 1; i < parts.length; i++) {
                if (!parts[i].isEmpty() && parts[i].charAt(0) == HASH) {
                    hash = Long.parseUnsignedLong(parts[i], 1, parts[i].length(), HEX);
                } else if (!parts[i].isEmpty() && parts[i].charAt(0) == SHIFT) {
                    shiftMs = Long.parseLong(parts[i], 1, parts[i].length(), 10);
                }
            }
            return switch (numbers.length) {
                case 1 -> sound(new TimerMark(Long.parseLong(numbers[0]), HERE, HERE, hash, shiftMs), HERE);
                case 3 ->
                    sound(
                            new TimerMark(
                                    Long.parseLong(numbers[0]),
                                    Long.parseLong(numbers[1]),
                                    Long.parseLong(numbers[2]),
                                    hash,
                                    shiftMs),
                            0);
                default -> null;
            };
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable TimerMark sound(TimerMark mark, long lowest) {
        return mark.dueMs < 0 || mark.birth < lowest || mark.readAt < lowest ? null : mark;
    }
}
