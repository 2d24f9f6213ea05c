package dev.perigee.client.transaction;

import dev.perigee.client.send.SendResult;
import dev.perigee.loop.Immutable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What became of a message that was sent in a transaction. */
@Immutable
public final class TransactionResult {
    private final SendResult sent;
    private final TransactionState state;
    private final Settlement settlement;
    private final @Nullable Exception problem;

    TransactionResult(SendResult sent, TransactionState state, Settlement settlement, @Nullable Exception problem) {
        this.sent = sent;
        this.state = state;
        this.settlement = settlement;
        this.problem = problem;
    }

    /** How the half message was stored. */
    public SendResult sent() {
        return sent;
    }

    /** The id the transaction goes by. */
    public String transactionId() {
        return sent.transactionId();
    }

    /**
     * What was decided here: what the listener said, or {@link TransactionState#ROLLBACK} without asking it when the half message
     * is not stored as it should be.
     */
    public TransactionState state() {
        return state;
    }

    /** Whether the broker took that decision. */
    public Settlement settlement() {
        return settlement;
    }

    /** What the listener threw, or why the broker did not take the decision. */
    public Optional<Exception> problem() {
        return Optional.ofNullable(problem);
    }

    @Override
    public String toString() {
        return "TransactionResult[transactionId=" + transactionId() + ", state=" + state + ", settlement=" + settlement
                + ", problem=" + problem + ", sent=" + sent + "]";
    }
}
