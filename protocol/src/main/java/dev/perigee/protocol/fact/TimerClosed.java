package dev.perigee.protocol.fact;

import com.alibaba.fastjson2.annotation.JSONField;
import java.util.List;

/**
 * Waiting messages will not be delivered: what they were for is gone, or they were recalled. A delivery needs no fact, for
 * the delivered message itself says what it delivers.
 *
 * @param entries which
 * @param reason why, for people
 * @param recalled whether their producers took them back; false in facts of older releases
 */
public record TimerClosed(List<TimerRef> entries, String reason, boolean recalled) implements Fact {
    static final String KIND = "TIMER_CLOSED";

    /** The most entries of one fact. */
    public static final int MAX_ENTRIES = 1_000;

    /**
     * One waiting message. Names are short in the log, because there may be many of these.
     *
     * @param dueMs when it is due, by the clock of waiting messages
     * @param birth where its first frame lay in the log; its name, which copies keep
     * @param offset where its newest copy lies
     * @param recallHash by what it can be recalled; 0 when it cannot, as in facts of older releases
     */
    public record TimerRef(
            @JSONField(name = "d") long dueMs,
            @JSONField(name = "b") long birth,
            @JSONField(name = "o") long offset,
            @JSONField(name = "h") long recallHash) {}

    public TimerClosed {
        entries = entries == null ? List.of() : entries;
    }

    /** Messages that nobody can get any more. */
    public static TimerClosed lost(List<TimerRef> entries, String reason) {
        return new TimerClosed(entries, reason, false);
    }

    @Override
    public String kind() {
        return KIND;
    }
}
