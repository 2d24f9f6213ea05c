package dev.perigee.client.send;

import dev.perigee.protocol.rpc.ResponseCode;
import java.util.Optional;
import java.util.Set;

/** How far a stored message had got when the broker answered. */
public enum SendStatus {
    /** Everything the flush and replication settings ask for has happened. */
    SEND_OK,
    /** Stored; the flush to disk was not confirmed in time. */
    FLUSH_DISK_TIMEOUT,
    /** Stored; a replica did not confirm in time. */
    FLUSH_SLAVE_TIMEOUT,
    /** Stored; no replica was there to confirm. */
    SLAVE_NOT_AVAILABLE;

    private static final Set<Integer> RETRY_CODES = Set.of(
            ResponseCode.TOPIC_NOT_EXIST,
            ResponseCode.SERVICE_NOT_AVAILABLE,
            ResponseCode.SYSTEM_ERROR,
            ResponseCode.SYSTEM_BUSY,
            ResponseCode.NO_PERMISSION,
            ResponseCode.NO_BUYER_ID,
            ResponseCode.NOT_IN_CURRENT_UNIT,
            ResponseCode.GO_AWAY);

    /** The status behind a response code, if the code means that the message was stored. */
    static Optional<SendStatus> of(int code) {
        return switch (code) {
            case ResponseCode.SUCCESS -> Optional.of(SEND_OK);
            case ResponseCode.FLUSH_DISK_TIMEOUT -> Optional.of(FLUSH_DISK_TIMEOUT);
            case ResponseCode.FLUSH_SLAVE_TIMEOUT -> Optional.of(FLUSH_SLAVE_TIMEOUT);
            case ResponseCode.SLAVE_NOT_AVAILABLE -> Optional.of(SLAVE_NOT_AVAILABLE);
            default -> Optional.empty();
        };
    }

    /** Whether a code that means that nothing was stored says so of this broker, or of now: another one, or a later time, may differ. */
    static boolean isRetryable(int code) {
        return RETRY_CODES.contains(code);
    }
}
