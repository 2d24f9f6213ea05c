package dev.perigee.broker.send;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.HostBytes;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** What the broker writes into every message and every answer: region, trace switch, cluster and its own address. */
@Immutable
final class StoreMarks {
    private final String region;
    private final byte[] storeHost;
    private final byte[] traced;
    private final byte[] untraced;

    StoreMarks(BrokerIdentity identity, String region) {
        this.region = region;
        this.storeHost = HostBytes.encode(new InetSocketAddress(identity.host(), identity.port()));
        this.traced = pairs(region, true, identity.cluster());
        this.untraced = pairs(region, false, identity.cluster());
    }

    /** The encoded pairs to append to the properties of a message. */
    byte[] pairs(boolean traceOn) {
        return traceOn ? traced : untraced;
    }

    /** The encoded address of this broker. */
    byte[] storeHost() {
        return storeHost;
    }

    /** The header of an answer that stored nothing. */
    SendMessageResponse refused(boolean traceOn) {
        return new SendMessageResponse(null, 0, 0, null, null, null, region, Boolean.toString(traceOn));
    }

    /** The header of an answer about a stored message. */
    SendMessageResponse stored(
            String messageId,
            int queueId,
            long queueOffset,
            @Nullable String uniqueKey,
            @Nullable String recallHandle,
            boolean traceOn) {
        return new SendMessageResponse(
                messageId, queueId, queueOffset, uniqueKey, null, recallHandle, region, Boolean.toString(traceOn));
    }

    private static byte[] pairs(String region, boolean traceOn, String cluster) {
        return PropertyEdit.encode(
                PropertyKey.MSG_REGION,
                region,
                PropertyKey.TRACE_ON,
                Boolean.toString(traceOn),
                PropertyKey.CLUSTER,
                cluster);
    }
}
