package dev.perigee.protocol.header.pull;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of PULL_MESSAGE (11) and LITE_PULL_MESSAGE (361).
 *
 * @param sysFlag bits of {@code PullSysFlag}
 * @param maxMsgBytes 0 when the client did not say
 */
public record PullMessageHeader(
        String consumerGroup,
        String topic,
        int queueId,
        long queueOffset,
        int maxMsgNums,
        int sysFlag,
        long commitOffset,
        long suspendTimeoutMillis,
        @OptionalField @Nullable String subscription,
        long subVersion,
        @OptionalField @Nullable String expressionType,
        @DefaultValue("0") int maxMsgBytes,
        @DefaultValue("0") int requestSource,

        @Key("proxyFrowardClientId") @OptionalField @Nullable
        String proxyClientId,

        @Key("bname") @OptionalField @Nullable String brokerName) {
    /** The same pull, which may wait no longer than that. */
    public PullMessageHeader waitingAtMost(long ms) {
        return new PullMessageHeader(
                consumerGroup,
                topic,
                queueId,
                queueOffset,
                maxMsgNums,
                sysFlag,
                commitOffset,
                Math.min(suspendTimeoutMillis, ms),
                subscription,
                subVersion,
                expressionType,
                maxMsgBytes,
                requestSource,
                proxyClientId,
                brokerName);
    }
}
