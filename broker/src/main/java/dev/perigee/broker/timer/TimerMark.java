package dev.perigee.broker.timer;

import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.mark.MarkText;
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
    public static final long UNTOLD = ClockNote.UNTOLD;

    /** How many bytes longer the mark of a copy may be than that of the first frame. */
    public static final int GROWTH_BYTES = 2 * (1 + 19) + ClockNote.MAX_BYTES;

    private static final char HASH = 'h';
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
            text.append(MarkText.SEPARATOR)
                    .append(birth)
                    .append(MarkText.SEPARATOR)
                    .append(readAt);
        }
        if (recallHash != RecallHash.NONE) {
            text.append(MarkText.MORE).append(HASH).append(HexFormat.of().toHexDigits(recallHash));
        }
        return text.append(clock().text()).toString();
    }

    /** What it says of the clock. */
    ClockNote clock() {
        return new ClockNote(shiftMs, timerMs);
    }

    /** The mark in a property; null when it is none. */
    static @Nullable TimerMark parse(String value) {
        MarkText text = MarkText.of(value);
        try {
            long hash = RecallHash.NONE;
            for (String each : text.more()) {
                if (MarkText.kind(each) == HASH) {
                    hash = Long.parseUnsignedLong(each, 1, each.length(), HEX);
                }
            }
            ClockNote clock = text.clock();
            long dueMs = text.number(0);
            return switch (text.numbers().size()) {
                case 1 -> sound(new TimerMark(dueMs, HERE, HERE, hash, clock.shiftMs(), clock.timerMs()), HERE);
                case 3 ->
                    sound(
                            new TimerMark(
                                    dueMs, text.number(1), text.number(2), hash, clock.shiftMs(), clock.timerMs()),
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
