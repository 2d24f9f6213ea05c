package dev.perigee.client.producer;

import dev.perigee.client.hook.SendObserver;
import dev.perigee.client.hook.SendObservers;
import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.remoting.HandlerTable;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link Producer}. */
@OwnedBy("building thread")
public final class ProducerBuilder extends ClientBuilder<ProducerBuilder> {
    /** The producer group unless one is named. */
    public static final String DEFAULT_GROUP = "DEFAULT_PRODUCER";

    private String group = DEFAULT_GROUP;
    private long sendTimeoutMs = ProducerConfig.DEFAULT_SEND_TIMEOUT_MS;
    private int maxTries = ProducerConfig.DEFAULT_MAX_TRIES;
    private int newTopicQueues = ProducerConfig.DEFAULT_NEW_TOPIC_QUEUES;
    private int maxMessageBytes = ProducerConfig.DEFAULT_MAX_MESSAGE_BYTES;
    private ProducerConfig.Batching batching = ProducerConfig.Batching.DEFAULT;
    private ProducerConfig.Compression compression = ProducerConfig.Compression.DEFAULT;
    private long bufferBytes = ProducerConfig.DEFAULT_BUFFER_BYTES;
    private int bufferMessages = ProducerConfig.DEFAULT_BUFFER_MESSAGES;
    private WhenFull whenFull = WhenFull.BLOCK;
    private RandomGenerator random = new SecureRandom();
    private final List<SendObserver> observers = new ArrayList<>();
    private HandlerTable.@Nullable Builder requests;

    ProducerBuilder() {}

    @Override
    protected ProducerBuilder self() {
        return this;
    }

    /** The producer group; brokers show it and, for transactions, ask it. */
    public ProducerBuilder group(String name) {
        this.group = name;
        return this;
    }

    /** Deadline of a whole send in milliseconds, all tries included; 3,000 by default. */
    public ProducerBuilder sendTimeoutMs(long timeoutMs) {
        this.sendTimeoutMs = timeoutMs;
        return this;
    }

    /** Tries of one send, the first included; 3 by default. */
    public ProducerBuilder maxTries(int tries) {
        this.maxTries = tries;
        return this;
    }

    /** Queues a broker of a topic that a send creates; 4 by default. */
    public ProducerBuilder newTopicQueues(int queues) {
        this.newTopicQueues = queues;
        return this;
    }

    /** Largest body, and largest encoded batch, in bytes; 4 MiB by default. A broker has a limit of its own. */
    public ProducerBuilder maxMessageBytes(int bytes) {
        this.maxMessageBytes = bytes;
        return this;
    }

    /** Automatic batches of asynchronous sends; on by default. */
    public ProducerBuilder batching(ProducerConfig.Batching settings) {
        this.batching = settings;
        return this;
    }

    /** Compression of bodies; zlib from 4 KiB by default. */
    public ProducerBuilder compression(ProducerConfig.Compression settings) {
        this.compression = settings;
        return this;
    }

    /** Memory for messages on their way, in bytes; 64 MiB by default. */
    public ProducerBuilder bufferBytes(long bytes) {
        this.bufferBytes = bytes;
        return this;
    }

    /** How many messages may be on their way; 131,072 by default. */
    public ProducerBuilder bufferMessages(int messages) {
        this.bufferMessages = messages;
        return this;
    }

    /** What a send does when one of these two limits is reached; it blocks by default. */
    public ProducerBuilder whenFull(WhenFull choice) {
        this.whenFull = choice;
        return this;
    }

    /** Has somebody look on at sends; may be called again for others, who are asked and told in that order. */
    public ProducerBuilder observer(SendObserver observer) {
        observers.add(observer);
        return this;
    }

    /**
     * Who answers what brokers ask of this producer, besides pushing replies to it. For the library's own packages; the table
     * serves one producer.
     */
    public ProducerBuilder answering(HandlerTable.Builder table) {
        this.requests = table;
        return this;
    }

    /** The source of chance, for simulation. */
    public ProducerBuilder random(RandomGenerator source) {
        this.random = source;
        return this;
    }

    /** @throws IllegalArgumentException when a setting is out of its range, naming it */
    public Producer build() {
        String problem = GroupName.problem(group);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        ProducerConfig config = new ProducerConfig(
                group,
                sendTimeoutMs,
                maxTries,
                newTopicQueues,
                maxMessageBytes,
                batching,
                compression,
                bufferBytes,
                bufferMessages,
                whenFull);
        return new Producer(settings(uniqueInstanceName()), config, random, new SendObservers(observers), requests);
    }
}
