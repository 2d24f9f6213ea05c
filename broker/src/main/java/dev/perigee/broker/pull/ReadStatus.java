package dev.perigee.broker.pull;

import dev.perigee.protocol.rpc.ResponseCode;

/** How a read of a queue ended; its name is the remark of the answer. */
enum ReadStatus {
    FOUND(ResponseCode.SUCCESS),
    NO_MATCHED_MESSAGE(ResponseCode.PULL_RETRY_IMMEDIATELY),
    /** Nothing was read, because the disk would have had to be asked. Never answered. */
    NOT_LOADED(ResponseCode.SYSTEM_ERROR),
    MESSAGE_WAS_REMOVING(ResponseCode.PULL_RETRY_IMMEDIATELY),
    OFFSET_OVERFLOW_ONE(ResponseCode.PULL_NOT_FOUND),
    OFFSET_OVERFLOW_BADLY(ResponseCode.PULL_OFFSET_MOVED),
    OFFSET_TOO_SMALL(ResponseCode.PULL_OFFSET_MOVED),
    /** A tool has moved the group elsewhere in the queue. */
    OFFSET_RESET(ResponseCode.PULL_OFFSET_MOVED),
    /** The queue has never held a message: 21 when the reader thinks otherwise, else 19. */
    NO_MATCHED_LOGIC_QUEUE(ResponseCode.PULL_NOT_FOUND),
    /** As above, for a queue that is known. */
    NO_MESSAGE_IN_QUEUE(ResponseCode.PULL_NOT_FOUND);

    private final int code;

    ReadStatus(int code) {
        this.code = code;
    }

    /** The response code when this offset was asked for. */
    int code(long askedOffset) {
        boolean neverHeld = this == NO_MATCHED_LOGIC_QUEUE || this == NO_MESSAGE_IN_QUEUE;
        return neverHeld && askedOffset != 0 ? ResponseCode.PULL_OFFSET_MOVED : code;
    }
}
