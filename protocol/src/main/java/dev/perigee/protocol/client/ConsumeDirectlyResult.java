package dev.perigee.protocol.client;

import com.alibaba.fastjson2.annotation.JSONField;
import org.jspecify.annotations.Nullable;

/**
 * Answer body of CONSUME_MESSAGE_DIRECTLY (309).
 *
 * @param consumeResult CR_SUCCESS, CR_LATER, CR_ROLLBACK, CR_COMMIT, CR_THROW_EXCEPTION or CR_RETURN_NULL
 */
public record ConsumeDirectlyResult(
        boolean order,
        @JSONField(defaultValue = "true") boolean autoCommit,
        @Nullable String consumeResult,
        @Nullable String remark,
        @JSONField(name = "spentTimeMills") long spentTimeMs) {}
