package dev.perigee.broker.pull;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.check.TextLimits;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import org.jspecify.annotations.Nullable;

/** The texts in the header of a pull, which are kept for as long as it waits. */
final class PullTexts {
    private PullTexts() {}

    /** Null when every text is within its limit. */
    static @Nullable Refusal refuse(PullMessageHeader header) {
        Refusal refusal = refuse(
                ResponseCode.SUBSCRIPTION_PARSE_FAILED,
                "subscription",
                header.subscription(),
                TextLimits.MAX_EXPRESSION_LENGTH);
        refusal = refusal == null ? refuse("expressionType", header.expressionType()) : refusal;
        refusal = refusal == null ? refuse("proxyFrowardClientId", header.proxyClientId()) : refusal;
        return refusal == null ? refuse("bname", header.brokerName()) : refusal;
    }

    /** What they take in memory, at most. */
    static long sizeBytes(PullMessageHeader header) {
        long characters = header.consumerGroup().length()
                + (long) header.topic().length()
                + length(header.subscription())
                + length(header.expressionType())
                + length(header.proxyClientId())
                + length(header.brokerName());
        return Character.BYTES * characters;
    }

    private static @Nullable Refusal refuse(String field, @Nullable String text) {
        return refuse(ResponseCode.INVALID_PARAMETER, field, text, TextLimits.MAX_NAME_LENGTH);
    }

    private static @Nullable Refusal refuse(int code, String field, @Nullable String text, int limit) {
        String excess = TextLimits.excess(field, text, limit);
        return excess == null ? null : new Refusal(code, excess);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
