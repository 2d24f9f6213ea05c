package dev.perigee.protocol.stats;

import com.alibaba.fastjson2.annotation.JSONField;
import java.util.List;

/**
 * Body of QUERY_CONSUME_TIME_SPAN (303).
 */
public record ConsumeTimeSpan(
        @JSONField(name = "consumeTimeSpanSet") List<QueueTimeSpan> spans) {
    public ConsumeTimeSpan {
        spans = spans == null ? List.of() : spans;
    }
}
