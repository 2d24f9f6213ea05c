package dev.perigee.protocol.fact;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * One waiting message. Names are short in the log, because there may be many of these.
 *
 * @param dueMs when it is due, wall time
 * @param birth where its first frame lay in the log; its name, which copies keep
 * @param offset where its newest copy lies
 */
public record TimerRef(
        @JSONField(name = "d") long dueMs,
        @JSONField(name = "b") long birth,
        @JSONField(name = "o") long offset) {}
