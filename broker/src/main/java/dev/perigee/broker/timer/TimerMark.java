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
 *   ,t&lt;number&gt;           what that clock said then
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
 * @param timerMs what it said then; {@link #UNTOLD} when the mark does not say
 */
@Immutable
public record TimerMark(long dueMs, long birth, long readAt, long recallHash, long shiftMs, long timerMs) {
    /** Stands for the frame that carries the mark. */
    public static final long HERE = -1;

    /** Stands for a time that is not told. */
    public static final long UNTOLD = Long.MIN_VALUE;

    /** How many bytes longer the mark of a copy may be than that of the first frame. */
    public static final int GROWTH_BYTES = 2 * (1 + 19) + 2 * (2 + 20);

    private static final char SEPARATOR = ':';
    private static final char MORE = ',';
    private static final char HASH = 'h';
    private static final char SHIFT = 's';
    private static final char TIME = 't';
    private static final int HEX = 16;

    /** A mark that does not tell of the clock. */
    TimerMark(long dueMs, long birth, long readAt, long recallHash) {
        this(dueMs, birth, readAt, recallHash, 0, UNTOLD);
    }

    /** The mark of a message that begins to wait. */
    static TimerMark waiting(DueTime.At due, long recallHash) {
        return new TimerMark(due.dueMs(), HERE, HERE, recallHash, due.shiftMs(), due.decidedMs());
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
        if (timerMs != UNTOLD) {
            text.append(MORE).append(TIME).append(timerMs);
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
            long timerMs = UNTOLD;
            for (int i = 1; i < parts.length; i++) {
                char kind = parts[i].isEmpty() ? MORE : parts[i].charAt(0);
                switch (kind) {
                    case HASH -> hash = Long.parseUnsignedLong(parts[i], 1, parts[i].length(), HEX);
                    case SHIFT -> shiftMs = Long.parseLong(parts[i], 1, parts[i].length(), 10);
                    case TIME -> timerMs = Long.parseLong(parts[i], 1, parts[i].length(), 10);
                    default -> {} // of a later release
                }
            }
            long dueMs = Long.parseLong(numbers[0]);
            return switch (numbers.length) {
                case 1 -> sound(new TimerMark(dueMs, HERE, HERE, hash, shiftMs, timerMs), HERE);
                case 3 -> {
                    long birth = Long.parseLong(numbers[1]);
                    yield sound(new TimerMark(dueMs, birth, Long.parseLong(numbers[2]), hash, shiftMs, timerMs), 0);
                }
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
