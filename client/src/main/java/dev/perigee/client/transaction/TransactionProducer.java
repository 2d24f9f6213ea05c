package dev.perigee.client.transaction;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.client.send.Sending;
import dev.perigee.client.trace.TraceDecisions;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.topic.SystemTopic;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages that are delivered only if a local transaction takes place. Build, {@link #start}, use from any thread, close.
 *
 * <p>A message is stored first as a half message, which nobody can read; then the listener does the local transaction; then the
 * broker is told to deliver the message or to drop it. When it is told nothing, because this process died or the listener did
 * not know, it asks any live producer of the group what became of the transaction.
 *
 * <pre>{@code
 * try (TransactionProducer producer = TransactionProducer.builder()
 *         .nameServers("127.0.0.1:9876").group("orders").listener(listener).build()) {
 *     producer.start();
 *     TransactionResult result = producer.send(Message.of("demo", "paid"), "order-7");
 * }
 * }</pre>
 */
@ThreadSafe
public final class TransactionProducer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionProducer.class);

    private final Producer producer;
    private final TransactionListener listener;
    private final Counters counters;
    private final UnderWay underWay;
    private final Decisions decisions;
    private final List<String> topics;
    private final @Nullable TraceDecisions trace;
    /** Named topics whose brokers could not be found, of which the log has a line. */
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    TransactionProducer(
            Producer producer,
            TransactionListener listener,
            TransactionChecks checks,
            Counters counters,
            UnderWay underWay,
            List<String> topics) {
        this.producer = producer;
        this.listener = listener;
        this.counters = counters;
        this.underWay = underWay;
        this.topics = List.copyOf(topics);
        this.decisions = new Decisions(producer.instance(), producer.group(), counters);
        this.trace = producer.trace()
                .map(writer -> new TraceDecisions(
                        writer, producer.group(), producer.instance().clock()))
                .orElse(null);
        checks.bind(decisions, trace);
    }

    /** Begins a transaction producer. */
    public static TransactionProducerBuilder builder() {
        return new TransactionProducerBuilder();
    }

    /**
     * Starts the producer. Brokers of the topics it was told of, and of the template of new topics, get to know it, so that they can
     * ask it about transactions from before.
     */
    public void start() {
        producer.start();
        ClientInstance instance = producer.instance();
        instance.loop().every(0, instance.settings().heartbeatMs(), this::introduce);
    }

    /** Topics whose brokers do not know this client yet are looked for again each time: a NameServer may have been away. */
    private void introduce() {
        ClientInstance instance = producer.instance();
        for (String topic : topics) {
            if (instance.routes().known(topic).isEmpty()) {
                Completion.on(instance.routes().get(topic), (route, failure) -> {
                    if (failure == null) {
                        missing.remove(topic);
                        instance.heartbeats().beatSoon();
                    } else {
                        notFound(topic, failure);
                    }
                });
            }
        }
    }

    /** One line until it is found; of the template topic none, which need not be there. */
    private void notFound(String topic, Throwable failure) {
        if (!topic.equals(SystemTopic.AUTO_CREATE) && missing.add(topic)) {
            LOG.warn(
                    "event=transaction_topic_not_found group={} topic={} reason=\"{}\"",
                    producer.group(),
                    topic,
                    failure.getMessage());
        }
    }

    /**
     * Sends a message in a transaction: stores it as a half message, has the listener do the local transaction, and tells the broker
     * what was decided. Blocks as long as a send, the listener and a call take.
     *
     * <p>The send of the half message is tried again only where the first try is known to have stored nothing: a second half
     * message would have an outcome of its own.
     *
     * @param argument handed to the listener
     * @throws ClientException when the half message is not known to be stored: the listener was not called. If it
     *     {@linkplain ClientException#mayHaveTakenEffect may be stored} all the same, the broker will ask about it. Once the
     *     listener was called there is a result, {@link Settlement#OPEN} where the thread was interrupted; its flag stays set
     */
    public TransactionResult send(Message message, @Nullable Object argument) throws ClientException {
        String id = producer.idFor(message);
        underWay.begin(id, message.topic(), 0);
        try {
            return sent(message, id, argument);
        } finally {
            underWay.end(id);
        }
    }

    private TransactionResult sent(Message message, String id, @Nullable Object argument) throws ClientException {
        Sending sending = producer.half(message.withProperty(PropertyKey.PRODUCER_GROUP, producer.group())
                .withProperty(PropertyKey.UNIQ_KEY, id));
        SendResult sent = Failures.await(sending.result(), "send", sending.where());
        counters.halves.increment();
        FailureSite site = new FailureSite(FailureSite.NONE, message.topic(), 1, 0);
        Half half = Half.sent(message.topic(), sent, site);
        if (sent.status() != SendStatus.SEND_OK) {
            note(message, sent, half, TransactionState.ROLLBACK);
            return decide(sent, half, TransactionState.ROLLBACK, null);
        }
        TransactionState state;
        try {
            TransactionState said = listener.execute(message, half.transactionId(), argument);
            state = said == null ? TransactionState.UNKNOWN : said;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOG.warn("event=transaction_failed group={} transactionId={}", producer.group(), half.transactionId(), e);
            return decide(sent, half, TransactionState.UNKNOWN, e);
        }
        note(message, sent, half, state);
        return decide(sent, half, state, null);
    }

    private void note(Message message, SendResult sent, Half half, TransactionState state) {
        if (trace == null || state == TransactionState.UNKNOWN || !sent.traceOn()) {
            return;
        }
        String storeHost = producer.instance()
                .routes()
                .masterAddress(sent.queue().brokerName())
                .orElse("");
        trace.decided(new TraceDecisions.Decision(
                message,
                half.messageId(),
                half.transactionId(),
                state.wireName(),
                TraceDecisions.Asked.BY_SEND,
                sent.region(),
                storeHost));
    }

    /** Whatever becomes of the decision, the half message is stored and the listener was asked: there is always a result. */
    private TransactionResult decide(
            SendResult sent, Half half, TransactionState state, @Nullable Exception listenerFailure) {
        if (state == TransactionState.UNKNOWN) {
            return new TransactionResult(sent, state, Settlement.OPEN, listenerFailure);
        }
        try {
            Decisions.End end = Failures.await(
                    decisions.tell(half, state, sent.queue().brokerName()),
                    "decision",
                    () -> FailureSite.untried(sent.queue().topic(), 0));
            return new TransactionResult(sent, state, end.settlement(), end.problem());
        } catch (ClientException e) { // interrupted; the flag is set
            return new TransactionResult(sent, state, Settlement.OPEN, e);
        }
    }

    /** The producer this one sends with; it may be used for other messages too. It is started and closed with this one. */
    public Producer producer() {
        return producer;
    }

    /** What was done so far. */
    public TransactionMetrics metrics() {
        return counters.snapshot();
    }

    /**
     * Takes no further messages, waits up to the send timeout for transactions under way, leaves, and ends the threads of checks:
     * those under way have the call timeout, those that wait are dropped. From the goodbye on brokers ask other producers of the
     * group. Idempotent; blocks. In a listener's call it does not wait for that call.
     */
    @Override
    public void close() {
        producer.close();
    }
}
