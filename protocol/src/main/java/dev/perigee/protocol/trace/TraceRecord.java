package dev.perigee.protocol.trace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a client notes about one message: that it was sent, given to a listener, finished, decided or recalled. */
public sealed interface TraceRecord
        permits TraceRecord.Sent,
                TraceRecord.ConsumeBegun,
                TraceRecord.ConsumeEnded,
                TraceRecord.TransactionEnded,
                TraceRecord.Recalled {
    /** The unique key of the message. */
    String messageId();

    /** When it was noted, milliseconds since 1970; 0 when the record does not say. */
    long timeMs();

    /** The group of the client; null when the record does not say. */
    @Nullable
    String group();

    /** The message's index keys, separated by blanks; null for none. */
    @Nullable
    String keys();

    /** The kind of a message. */
    enum Kind {
        NORMAL(0),
        HALF(1),
        COMMITTED(2),
        DELAYED(3),
        ORDERED(4);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** Its number on the wire. */
        int number() {
            return number;
        }
    }

    /** Why a consumption ended as it did. */
    enum Ending {
        SUCCESS(0),
        TIMEOUT(1),
        EXCEPTION(2),
        RETURNED_NULL(3),
        FAILED(4);

        private final int number;

        Ending(int number) {
            this.number = number;
        }

        /** Its number on the wire. */
        int number() {
            return number;
        }
    }

    /**
     * A message was sent, or tried to be.
     *
     * @param timeMs when the send began
     * @param region what the broker says of its region
     * @param group the producer group
     * @param messageId its unique key
     * @param tags its tag
     * @param storeHost who stored it, {@code ip:port}
     * @param bodyBytes the length of its body
     * @param costMs how long the send took
     * @param offsetMessageId where it lies; null for none
     * @param isSuccess whether it was stored
     * @param clientHost who sent it, where the record says it
     */
    record Sent(
            long timeMs,
            String region,
            String group,
            String topic,
            String messageId,
            @Nullable String tags,
            @Nullable String keys,
            String storeHost,
            int bodyBytes,
            long costMs,
            Kind kind,
            @Nullable String offsetMessageId,
            boolean isSuccess,
            @Nullable String clientHost)
            implements TraceRecord {}

    /**
     * A message was given to a listener.
     *
     * @param region what the message says of its broker's region
     * @param group the consumer group
     * @param requestId the same for all messages of one call, and in the records of its end
     * @param retryTimes how often the message failed before
     */
    record ConsumeBegun(
            long timeMs,
            String region,
            String group,
            String requestId,
            String messageId,
            int retryTimes,
            @Nullable String keys)
            implements TraceRecord {}

    /**
     * A listener is done with a message.
     *
     * @param costMs what the call took for each of its messages
     * @param isSuccess whether the message is finished
     * @param timeMs when the call ended; 0 in records of old clients
     * @param group null in records of old clients
     */
    record ConsumeEnded(
            String requestId,
            String messageId,
            long costMs,
            boolean isSuccess,
            @Nullable String keys,
            Ending ending,
            long timeMs,
            @Nullable String group)
            implements TraceRecord {}

    /**
     * A transaction was decided.
     *
     * @param state {@code COMMIT_MESSAGE}, {@code ROLLBACK_MESSAGE} or {@code UNKNOW}
     * @param isFromCheck whether the broker had asked
     */
    record TransactionEnded(
            long timeMs,
            String region,
            String group,
            String topic,
            String messageId,
            @Nullable String tags,
            @Nullable String keys,
            String storeHost,
            Kind kind,
            String transactionId,
            String state,
            boolean isFromCheck)
            implements TraceRecord {}

    /** A message that waited was recalled, or tried to be. */
    record Recalled(long timeMs, String region, String group, String topic, String messageId, boolean isSuccess)
            implements TraceRecord {
        @Override
        public @Nullable String keys() {
            return null;
        }
    }

    /** What the record is to be found by: the unique key and every index key. */
    default List<String> findableBy() {
        String keys = keys();
        return keys == null || keys.isBlank()
                ? List.of(messageId())
                : List.of((messageId() + " " + keys.strip()).split(" +"));
    }
}
