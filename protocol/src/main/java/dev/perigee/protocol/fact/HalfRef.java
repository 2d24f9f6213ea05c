package dev.perigee.protocol.fact;

import com.alibaba.fastjson2.annotation.JSONField;

/**
 * One undecided half of a transaction as it stood before the fact that names it. Names are short in the log, because there may be
 * many of these.
 *
 * @param birth where its first frame lay in the log; its name, which copies keep
 * @param offset where its newest copy lies
 * @param sizeBytes the length of that copy's frame
 * @param queueOffset its place in the queue of halves at its birth
 * @param nextCheckMs when its producers were to be asked next, by the clock of what waits
 * @param checks how often they were asked
 * @param acceptedMs when it was accepted, by that clock; 0 in facts from before that was told
 * @param askedMs when they were asked last, by that clock; 0 when nobody was, and in facts from before that was told
 */
public record HalfRef(
        @JSONField(name = "b") long birth,
        @JSONField(name = "o") long offset,
        @JSONField(name = "s") int sizeBytes,
        @JSONField(name = "q") long queueOffset,
        @JSONField(name = "n") long nextCheckMs,
        @JSONField(name = "c") int checks,
        @JSONField(name = "a") long acceptedMs,
        @JSONField(name = "l") long askedMs) {}
