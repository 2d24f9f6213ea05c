package dev.perigee.it.member;

import java.util.Arrays;

/**
 * One thing a member did.
 *
 * @param kind what it did
 * @param topic the topic, empty when it concerns none
 * @param queueId the queue the messages were read from
 * @param count how many messages, which follow each other in the queue
 * @param offset of the first of them; for {@link Kind#COMMITTED} of the next to consume
 * @param number that the sender gave the first of them
 * @param timeNs when, by the machine's monotonic clock, which all its JVMs read alike
 */
public record Note(Kind kind, String topic, int queueId, int count, long offset, long number, long timeNs) {
    /** What a member did. */
    public enum Kind {
        /** It is about to start. */
        STARTING(1),
        /** Its start is over. */
        STARTED(2),
        /** A listener call begins. */
        BEGUN(3),
        /** These messages are consumed; noted before anybody is told, so that nothing is committed that is not noted. */
        DONE(4),
        /** These messages failed and are to come again. */
        FAILED(5),
        /** A commit was acknowledged. */
        COMMITTED(6),
        /** It is about to leave its group. */
        CLOSING(7),
        /** It has left its group. */
        CLOSED(8);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        static Kind of(int code) {
            return Arrays.stream(values())
                    .filter(kind -> kind.code == code)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("kind " + code));
        }
    }

    /** The offset behind the last of the messages. */
    public long endOffset() {
        return offset + count;
    }
}
