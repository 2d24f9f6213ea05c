package dev.perigee.protocol.client;

import com.alibaba.fastjson2.annotation.JSONField;
import org.jspecify.annotations.Nullable;

/**
 * One producer of the table of all producers.
 *
 * @param remoteAddress {@code /ip:port}
 * @param lastUpdateTimestamp milliseconds
 */
public record ProducerInfo(
        String clientId,
        @JSONField(name = "remoteIP") String remoteAddress,
        @Nullable String language,
        int version,
        long lastUpdateTimestamp) {}
