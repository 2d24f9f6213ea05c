package dev.perigee.broker.transaction;

import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.mark.MarkText;
import dev.perigee.broker.timer.TimerClock;
import dev.perigee.broker.transaction.HalfTimes.FirstCheck;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.property.PropertyKey;
import org.jspecify.annotations.Nullable;

/**
 * The value of the property {@link PropertyKey#HALF_MARK}, by which the log says which halves of transactions are undecided
 * and which message closes one, so that views need not read any other frame.
 *
 * <pre>
 * in the topic RMQ_SYS_TRANS_HALF_TOPIC
 *   nextCheck                                             undecided since this frame, which names it: its birth is the offset of the frame
 *   nextCheck:birth:readAt:queueOffset:checks:accepted    a copy of the half, made before the frame at readAt went
 *     ,l<number>                                          behind it, where they were asked: when producers were asked for the half last
 *   behind both, where there is something to say
 *     ,s&lt;number&gt;                                          by how much the clock of what waits was ahead of the wall clock
 *     ,t&lt;number&gt;                                          what that clock said then; in a first frame when the half was accepted
 * in any other topic
 *   nextCheck:birth:readAt:c                              the committed message, made from the frame at readAt; closes the half
 *   nextCheck:birth:readAt:s                              the half set aside, likewise
 * </pre>
 *
 * <p>All numbers are decimal: the time of the next check, as it stood before this frame, and those of the acceptance and of the last question are
 * milliseconds by the {@link TimerClock}; birth and readAt are offsets of the log; queueOffset is the place of the first frame in its queue. A copy without
 * the time of its acceptance, and a first frame that does not tell of the clock, are of a log from before: they count from the next check.
 *
 * @param kind what the frame is
 * @param nextCheckMs when producers are asked
 * @param birth the offset of the first frame; 0 in that frame itself
 * @param readAt the offset of the frame this one was made from; 0 when there is none
 * @param queueOffset of the first frame; only in copies
 * @param checks how often producers were asked; only in copies
 * @param acceptedMs when the half was accepted; not where it is closed
 * @param askedMs when producers were asked last, 0 when nobody was; only in copies
 * @param clock what is said of the clock
 */
@Immutable
record HalfMark(
        Kind kind,
        long nextCheckMs,
        long birth,
        long readAt,
        long queueOffset,
        int checks,
        long acceptedMs,
        long askedMs,
        ClockNote clock) {
    /** What a marked frame is. */
    enum Kind {
        FIRST,
        COPY,
        COMMITTED,
        SET_ASIDE
    }

    private static final String SEPARATOR = ":";
    private static final String COMMITTED = "c";
    private static final String SET_ASIDE = "s";
    private static final char ASKED = 'l';
    private static final int FIRST_PARTS = 1;
    private static final int CLOSING_PARTS = 4;
    private static final int OLD_COPY_PARTS = 5;
    private static final int COPY_PARTS = 6;
    private static final int READ_AT = 2;
    private static final int OUTCOME_AT = 3;
    private static final int QUEUE_OFFSET_AT = 3;
    private static final int CHECKS_AT = 4;
    private static final int ACCEPTED_AT = 5;

    /** The mark of a half that begins. */
    static HalfMark first(FirstCheck first) {
        TimerClock.Moment accepted = first.accepted();
        return first(first.dueMs(), new ClockNote(accepted.shiftMs(), accepted.timerMs()));
    }

    private static HalfMark first(long nextCheckMs, ClockNote clock) {
        long acceptedMs = clock.timerMs() == ClockNote.UNTOLD ? nextCheckMs : clock.timerMs();
        return new HalfMark(Kind.FIRST, nextCheckMs, 0, 0, 0, 0, acceptedMs, 0, clock);
    }

    /**
     * The mark of a copy of a half.
     *
     * @param told what the log said of the clock last
     */
    static HalfMark copy(Half half, ClockNote told) {
        return new HalfMark(
                Kind.COPY,
                half.nextCheckMs(),
                half.birth(),
                half.offset(),
                half.queueOffset(),
                half.checks(),
                half.acceptedMs(),
                half.askedMs(),
                told);
    }

    /** The mark of the message that is made of a half and closes it. */
    static HalfMark closing(Half half, Kind kind) {
        return closing(kind, half.nextCheckMs(), half.birth(), half.offset());
    }

    private static HalfMark closing(Kind kind, long nextCheckMs, long birth, long readAt) {
        return new HalfMark(kind, nextCheckMs, birth, readAt, 0, 0, 0, 0, ClockNote.NONE);
    }

    /** The value of the property. */
    String text() {
        String begin = kind == Kind.FIRST ? "" : SEPARATOR + birth + SEPARATOR + readAt + SEPARATOR;
        return nextCheckMs
                + begin
                + switch (kind) {
                    case FIRST -> clock.text();
                    case COPY -> queueOffset + SEPARATOR + checks + SEPARATOR + acceptedMs + askedText() + clock.text();
                    case COMMITTED -> COMMITTED;
                    case SET_ASIDE -> SET_ASIDE;
                };
    }

    private String askedText() {
        return askedMs == 0 ? "" : String.valueOf(MarkText.MORE) + ASKED + askedMs;
    }

    /** The mark in a property; null when it is none. */
    static @Nullable HalfMark parse(String value) {
        MarkText text = MarkText.of(value);
        try {
            return sound(
                    switch (text.numbers().size()) {
                        case FIRST_PARTS -> first(text.number(0), text.clock());
                        case CLOSING_PARTS -> closing(text);
                        case OLD_COPY_PARTS -> copy(text, text.number(0));
                        case COPY_PARTS -> copy(text, text.number(ACCEPTED_AT));
                        default -> null;
                    });
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static HalfMark copy(MarkText text, long acceptedMs) {
        return new HalfMark(
                Kind.COPY,
                text.number(0),
                text.number(1),
                text.number(READ_AT),
                text.number(QUEUE_OFFSET_AT),
                Integer.parseInt(text.numbers().get(CHECKS_AT)),
                acceptedMs,
                text.more(ASKED, 0),
                text.clock());
    }

    private static @Nullable HalfMark closing(MarkText text) {
        Kind kind = switch (text.numbers().get(OUTCOME_AT)) {
            case COMMITTED -> Kind.COMMITTED;
            case SET_ASIDE -> Kind.SET_ASIDE;
            default -> null;
        };
        return kind == null ? null : closing(kind, text.number(0), text.number(1), text.number(READ_AT));
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
