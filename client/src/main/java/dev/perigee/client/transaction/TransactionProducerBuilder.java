package dev.perigee.client.transaction;

import dev.perigee.client.instance.Closing;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerBuilder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.call.Deadline;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link TransactionProducer}. A group and a listener must be given. Builds once. */
@OwnedBy("building thread")
public final class TransactionProducerBuilder {
    /** Threads that answer checks. */
    public static final int DEFAULT_CHECK_THREADS = 1;
    /** Checks that may wait for them. */
    public static final int DEFAULT_CHECK_QUEUE = 2_000;

    private final ProducerBuilder producer = Producer.builder();
    private final Set<String> topics = new LinkedHashSet<>(List.of(SystemTopic.AUTO_CREATE));
    private String group = "";
    private int checkThreads = DEFAULT_CHECK_THREADS;
    private int checkQueue = DEFAULT_CHECK_QUEUE;
    private @Nullable Executor checkExecutor;
    private @Nullable TransactionListener listener;

    TransactionProducerBuilder() {}

    /** NameServer addresses, see {@link ProducerBuilder#nameServers}. */
    public TransactionProducerBuilder nameServers(String addresses) {
        producer.nameServers(addresses);
        return this;
    }

    /** The producer group: any of its live members may be asked what became of a transaction of another. */
    public TransactionProducerBuilder group(String name) {
        this.group = name;
        return this;
    }

    /** The user's part of each transaction. */
    public TransactionProducerBuilder listener(TransactionListener transactions) {
        this.listener = transactions;
        return this;
    }

    /** Sets whatever else a producer can be told: timeouts, compression, limits. The group is set here, not there. */
    public TransactionProducerBuilder producer(Consumer<ProducerBuilder> settings) {
        settings.accept(producer);
        return this;
    }

    /** Notes in the trace topic what becomes of messages and transactions, see {@link ProducerBuilder#enableMsgTrace()}. */
    public TransactionProducerBuilder enableMsgTrace() {
        producer.enableMsgTrace();
        return this;
    }

    /** As {@link #enableMsgTrace()}, in a trace topic of the user's own. */
    public TransactionProducerBuilder enableMsgTrace(String topic) {
        producer.enableMsgTrace(topic);
        return this;
    }

    /**
     * Topics whose brokers may ask this producer from its start on, about transactions of processes that are gone. Without this they
     * may once it has sent to the topic, and those that make new topics by themselves at once.
     */
    public TransactionProducerBuilder topics(String... names) {
        topics.addAll(List.of(names));
        return this;
    }

    /** Threads that answer checks; 1 by default. */
    public TransactionProducerBuilder checkThreads(int threads) {
        this.checkThreads = threads;
        return this;
    }

    /** How many checks may wait for these threads; 2,000 by default. Further ones are dropped and counted; brokers ask again. */
    public TransactionProducerBuilder checkQueue(int checks) {
        this.checkQueue = checks;
        return this;
    }

    /** Answers checks on the user's threads; they are not ended with the producer. A refused check is dropped and counted. */
    public TransactionProducerBuilder checkExecutor(Executor executor) {
        this.checkExecutor = executor;
        return this;
    }

    /** @throws IllegalArgumentException when something is missing or out of its range, naming it */
    public TransactionProducer build() {
        TransactionListener called = listener;
        if (called == null) {
            throw new IllegalArgumentException("transaction producer group=" + group + " needs a listener");
        }
        if (checkThreads <= 0 || checkQueue <= 0) {
            throw new IllegalArgumentException(
                    "checkThreads=" + checkThreads + " checkQueue=" + checkQueue + ", both must be above 0");
        }
        for (String topic : topics) {
            String problem = TopicName.problem(topic);
            if (problem != null) {
                throw new IllegalArgumentException("topics: " + problem);
            }
        }
        Executor given = checkExecutor;
        CheckThreads threads =
                given != null ? CheckThreads.of(given) : CheckThreads.own(group, checkThreads, checkQueue);
        Counters counters = new Counters();
        UnderWay underWay = new UnderWay();
        TransactionChecks checks = new TransactionChecks(group, called, threads, counters, underWay);
        Producer sends = producer.group(group)
                .answering(HandlerTable.builder().on(Rpcs.CHECK_TRANSACTION_STATE, checks::asked))
                .build();
        TransactionProducer built =
                new TransactionProducer(sends, called, checks, counters, underWay, List.copyOf(topics));
        sends.endsWith(new Ending(underWay, threads));
        return built;
    }

    /** What ends with a producer that sends in transactions. */
    private record Ending(UnderWay underWay, CheckThreads threads) implements Closing {
        @Override
        public void awaitWork(Deadline deadline) {
            underWay.awaitNone(deadline);
        }

        @Override
        public void left(long waitMs) {
            threads.close(waitMs);
        }
    }
}
