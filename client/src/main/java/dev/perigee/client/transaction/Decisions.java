package dev.perigee.client.transaction;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.send.Destinations;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Deadline;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells brokers what was decided (code 37). Stock clients send it without asking for an answer; here it is a call, so that a
 * decision that comes too late, or contradicts another one, is known. Where there are several brokers of a name, another one is told after one
 * that was not reached or turned it away, for any member of a group hands it on; else a broker that hears nothing asks. One that turned it away
 * as busy may have carried it out all the same, as a member does that hands it on and hears no answer; that decides nothing twice, for the same
 * decision again is answered as the first.
 */
@ThreadSafe
final class Decisions {
    private static final Logger LOG = LoggerFactory.getLogger(Decisions.class);

    /** Before another one is told, or the same one again. */
    private static final long PAUSE_MS = 50;

    /** Who answers so has not looked at it, or cannot say what became of it: a broker that is in no state to, and a slave. */
    private static final Set<Integer> TURNED_AWAY = Set.of(ResponseCode.SYSTEM_BUSY, ResponseCode.SLAVE_NOT_AVAILABLE);

    private final ClientInstance instance;
    private final String group;
    private final Counters counters;
    private final Destinations destinations;

    Decisions(ClientInstance instance, String group, Counters counters) {
        this.instance = instance;
        this.group = group;
        this.counters = counters;
        this.destinations = new Destinations(instance.routes(), instance.clock());
    }

    /** How a decision ended. */
    record End(Settlement settlement, @Nullable ClientException problem) {}

    /** A decision on its way. */
    private record Telling(
            Half half,
            TransactionState state,
            String brokerName,
            EndTransactionHeader header,
            Deadline deadline,
            CompletableFuture<End> end) {}

    /** Decides about a half message that was just stored there. The future does not fail. */
    CompletableFuture<End> tell(Half half, TransactionState state, String brokerName) {
        Telling telling = new Telling(
                half,
                state,
                brokerName,
                half.decision(group, state, false),
                instance.calls().deadline(),
                new CompletableFuture<>());
        attempt(telling, null);
        return telling.end;
    }

    /** @param before what a broker answered that turned an earlier try away */
    private void attempt(Telling telling, @Nullable RefusedException before) {
        String topic = telling.half.topicText();
        Optional<String> address = destinations.of(telling.brokerName);
        if (address.isEmpty()) {
            telling.end.complete(open(new NoRouteException(
                    "no address known of broker " + telling.brokerName, FailureSite.untried(topic, 0))));
            return;
        }
        long beganMs = instance.clock().monotonicMs();
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(address.get(), Rpcs.END_TRANSACTION, telling.header, topic)
                                .until(telling.deadline)),
                (answered, failure) -> {
                    if (failure != null) {
                        ClientException problem = Failures.of(failure, FailureSite.untried(topic, 0));
                        destinations.failed(
                                address.get(), problem, instance.clock().monotonicMs() - beganMs);
                        notTold(
                                telling,
                                before == null ? problem : problem.afterAnswer(before),
                                problem instanceof UnreachableException && !problem.mayHaveTakenEffect(),
                                before);
                    } else if (TURNED_AWAY.contains(answered.code())) {
                        destinations.refused(telling.brokerName, address.get());
                        RefusedException refusal = answered.refused(false);
                        notTold(telling, refusal, true, refusal);
                    } else {
                        destinations.answered(address.get());
                        telling.end.complete(answered(telling.state, answered));
                    }
                });
    }

    /** Tells it again where that cannot decide twice and there is somebody else to tell, until the time of a call is over. */
    private void notTold(
            Telling telling, ClientException problem, boolean isUntouched, @Nullable RefusedException before) {
        if (!isUntouched
                || !destinations.areSeveral(telling.brokerName)
                || telling.deadline.remainingMs() <= PAUSE_MS
                || instance.isClosed()) {
            telling.end.complete(open(problem));
            return;
        }
        instance.loop().after(PAUSE_MS, () -> attempt(telling, before), () -> telling.end.complete(open(problem)));
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
