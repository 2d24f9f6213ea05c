package dev.perigee.protocol.fact;

import com.alibaba.fastjson2.annotation.JSONField;

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
