package dev.perigee.client.trace;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.trace.TraceRecord;
import java.util.List;

/** Notes what was decided about transactions. */
@ThreadSafe
public final class TraceDecisions {
    private final TraceWriter writer;
    private final String group;
    private final Clock clock;

    public TraceDecisions(TraceWriter writer, String group, Clock clock) {
        this.writer = writer;
        this.group = group;
        this.clock = clock;
    }

    /** Who asked for a decision. */
    public enum Asked {
        /** The application, by sending. */
        BY_SEND,
        /** A broker, by a check. */
        BY_CHECK
    }

    /**
     * A decision.
     *
     * @param message the half message
     * @param messageId its unique key
     * @param state as the protocol names it: {@code COMMIT_MESSAGE}, {@code ROLLBACK_MESSAGE} or {@code UNKNOW}
     * @param region what the broker says of its region
     * @param storeHost the broker that keeps it
     */
    public record Decision(
            Message message,
            String messageId,
            String transactionId,
            String state,
            Asked asked,
            String region,
            String storeHost) {}

    /** Notes a decision that is being told to the broker, unless the message is not traced. */
    public void decided(Decision decision) {
        Message message = decision.message;
        if (!writer.topics().isTraced(message.topic(), message.properties())) {
            return;
        }
        writer.note(List.of(new TraceRecord.TransactionEnded(
                clock.wallMs(),
                decision.region,
                group,
                message.topic(),
                decision.messageId,
                message.tag(),
                message.property(PropertyKey.KEYS),
                decision.storeHost,
                TraceRecord.Kind.COMMITTED,
                decision.transactionId,
                decision.state,
                decision.asked == Asked.BY_CHECK)));
    }
}
