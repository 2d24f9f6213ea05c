package dev.perigee.client.transaction;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.trace.TraceDecisions;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers brokers that ask what became of a transaction (code 39): the listener is asked on a thread of its own, and what it
 * decides is told back. Where it knows nothing, just that is told; the broker asks again.
 */
@ThreadSafe
final class TransactionChecks {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionChecks.class);
    private static final MessageReader READER = new MessageReader();

    private final String group;
    private final TransactionListener listener;
    private final CheckThreads threads;
    private final Counters counters;
    private final UnderWay underWay;
    private volatile @Nullable TraceDecisions trace;
    private volatile @Nullable Decisions decisions;

    /** @param underWay of these transactions nothing is known yet, so the listener is not asked about them */
    TransactionChecks(
            String group, TransactionListener listener, CheckThreads threads, Counters counters, UnderWay underWay) {
        this.group = group;
        this.listener = listener;
        this.threads = threads;
        this.counters = counters;
        this.underWay = underWay;
    }

    /** From now on checks are answered; before, they are not heard. */
    void bind(Decisions told, @Nullable TraceDecisions notes) {
        this.trace = notes;
        this.decisions = told;
    }

    /** Takes a question, on an event loop. Brokers expect no answer to it; the decision is a request of its own. */
    void asked(Request<CheckTransactionHeader> request, Reply<NoHeader> reply) {
        Decisions told = decisions;
        CheckTransactionHeader header = request.header();
        Connection from = request.from();
        byte[] record = request.copyBody();
        reply.ok(NoHeader.NONE);
        if (told == null) {
            return;
        }
        AtomicBoolean begun = new AtomicBoolean();
        try {
            threads.execute(() -> {
                begun.set(true);
                answer(header, record, from, told);
            });
        } catch (RuntimeException | Error e) { // too many wait, or the user's executor failed in some way
            if (!begun.get()) {
                dropped(e);
            }
        }
    }

    private void dropped(Throwable cause) {
        counters.checks.increment();
        counters.checksDropped.increment();
        long dropped = counters.checksDropped.sum();
        if (!(cause instanceof RejectedExecutionException) || Long.bitCount(dropped) == 1) {
            LOG.warn(
                    "event=transaction_check_dropped group={} droppedSoFar={} reason=\"{}\"",
                    group,
                    dropped,
                    cause.toString());
        }
    }

    private void answer(CheckTransactionHeader header, byte[] record, Connection from, Decisions told) {
        MessageExt half = read(header, record, from);
        if (half == null) {
            counters.checksForeign.increment();
            return;
        }
        counters.checks.increment();
        TransactionState state = underWay.has(half.messageId()) ? TransactionState.UNKNOWN : ask(half);
        note(half, Half.asked(header, half), state, from);
        if (state == TransactionState.UNKNOWN) {
            counters.checksUndecided.increment();
            told.answerUnknown(Half.asked(header, half), from);
        } else {
            told.answer(Half.asked(header, half), state, from);
        }
    }

    private void note(MessageExt message, Half half, TransactionState state, Connection from) {
        TraceDecisions notes = trace;
        if (notes != null) {
            String region = message.property(PropertyKey.MSG_REGION);
            notes.decided(new TraceDecisions.Decision(
                    message.message(),
                    half.messageId(),
                    half.transactionId(),
                    state.wireName(),
                    TraceDecisions.Asked.BY_CHECK,
                    region == null ? "" : region,
                    from.remoteAddress()));
        }
    }

    /** The half message, its body inflated; null when it is not for this group or cannot be read. */
    private @Nullable MessageExt read(CheckTransactionHeader header, byte[] record, Connection from) {
        String brokerName = header.brokerName();
        FailureSite site = new FailureSite(from.remoteAddress(), FailureSite.NONE, 1, 0);
        try {
            List<MessageExt> messages =
                    READER.read(record, brokerName == null ? from.remoteAddress() : brokerName, site);
            if (messages.size() == 1 && group.equals(messages.get(0).property(PropertyKey.PRODUCER_GROUP))) {
                return messages.get(0);
            }
            LOG.warn(
                    "event=transaction_check_foreign group={} from={} messages={}",
                    group,
                    from.remoteAddress(),
                    messages.size());
        } catch (ClientException e) {
            LOG.warn(
                    "event=transaction_check_unreadable group={} from={} reason=\"{}\"",
                    group,
                    from.remoteAddress(),
                    e.getMessage());
        }
        return null;
    }

    private TransactionState ask(MessageExt half) {
        try {
            TransactionState state = listener.check(half);
            return state == null ? TransactionState.UNKNOWN : state;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return TransactionState.UNKNOWN;
        } catch (Exception | Error e) { // the listener is the user's and may throw anything; the thread has more to do
            LOG.warn("event=transaction_check_failed group={} transactionId={}", group, half.messageId(), e);
            return TransactionState.UNKNOWN;
        }
    }
}
