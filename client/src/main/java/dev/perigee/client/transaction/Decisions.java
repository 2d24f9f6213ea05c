package dev.perigee.client.transaction;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Deadline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells brokers what was decided (code 37). Stock clients send it without asking for an answer; here it is a call, so that a
 * decision that comes too late, or contradicts another one, is known. It is made once: a broker that hears nothing asks.
 */
@ThreadSafe
final class Decisions {
    private static final Logger LOG = LoggerFactory.getLogger(Decisions.class);

    private final ClientInstance instance;
    private final String group;
    private final Counters counters;

    Decisions(ClientInstance instance, String group, Counters counters) {
        this.instance = instance;
        this.group = group;
        this.counters = counters;
    }

    /** How a decision ended. */
    record End(Settlement settlement, @Nullable ClientException problem) {}

    /** Decides about a half message that was just stored there. The future does not fail. */
    CompletableFuture<End> tell(Half half, TransactionState state, String brokerName) {
        Optional<String> address = instance.routes().masterAddress(brokerName);
        if (address.isEmpty()) {
            return CompletableFuture.completedFuture(open(new NoRouteException(
                    "no address known of broker " + brokerName, FailureSite.untried(half.topicText(), 0))));
        }
        EndTransactionHeader header = half.decision(group, state, false);
        CompletableFuture<End> end = new CompletableFuture<>();
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(address.get(), Rpcs.END_TRANSACTION, header, half.topicText())),
                (answered, failure) -> end.complete(
                        failure == null
                                ? answered(state, answered)
                                : open(Failures.of(failure, FailureSite.untried(half.topicText(), 0)))));
        return end;
    }

    /**
     * Says that nothing is known yet about a half message that was asked about over this connection: the broker learns that
     * somebody of the group is there. Sent one-way, because stock brokers give no answer to it.
     */
    void answerUnknown(Half half, Connection from) {
        from.oneway(Rpcs.END_TRANSACTION, half.decision(group, TransactionState.UNKNOWN, true), null);
    }

    /** Decides about a half message that was asked about over this connection. */
    void answer(Half half, TransactionState state, Connection from) {
        Deadline deadline = Deadline.after(instance.clock(), instance.settings().callTimeoutMs());
        Completion.on(
                from.call(Rpcs.END_TRANSACTION, half.decision(group, state, true), null, deadline),
                (answer, failure) -> {
                    FailureSite site =
                            new FailureSite(from.remoteAddress(), half.topicText(), 1, deadline.remainingMs());
                    End end = failure == null
                            ? answered(state, new Answered<>(answer, site))
                            : open(Failures.of(failure, site));
                    if (end.problem != null) {
                        LOG.warn(
                                "event=transaction_not_decided group={} transactionId={} state={} reason=\"{}\"",
                                group,
                                half.transactionId(),
                                state,
                                end.problem.getMessage());
                    }
                });
    }

    private End answered(TransactionState state, Answered<?> answered) {
        if (answered.isOk()) {
            (state == TransactionState.COMMIT ? counters.committed : counters.rolledBack).increment();
            return new End(Settlement.ACCEPTED, null);
        }
        if (answered.code() != ResponseCode.ILLEGAL_OPERATION) {
            return open(answered.refused(false));
        }
        counters.refused.increment();
        return new End(Settlement.REFUSED, answered.refused(false));
    }

    private End open(ClientException problem) {
        counters.open.increment();
        return new End(Settlement.OPEN, problem);
    }
}
