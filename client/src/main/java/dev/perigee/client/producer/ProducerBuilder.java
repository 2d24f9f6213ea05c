package dev.perigee.client.producer;

import dev.perigee.client.hook.SendObserver;
import dev.perigee.client.hook.SendObservers;
import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.client.trace.TraceOutlet;
import dev.perigee.client.trace.TraceSends;
import dev.perigee.client.trace.TraceWriter;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.HandlerTable;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link Producer}. */
@OwnedBy("building thread")
public final class ProducerBuilder extends ClientBuilder<ProducerBuilder> {
    /** The producer group unless one is named. */
    public static final String DEFAULT_GROUP = "DEFAULT_PRODUCER";

    /** Memory for trace messages on their way; beyond it notes are dropped. */
    private static final long TRACE_BUFFER_BYTES = 8L << 20;

    private static final int TRACE_BUFFER_MESSAGES = 1_024;

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
    private @Nullable String traceTopic;

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
     * Notes in the trace topic {@code RMQ_SYS_TRACE_TOPIC} how the send of each message ends, where tools find it by the message's id
     * and keys. Off by default. The notes leave through a producer of their own, never hold up a send, and are dropped and counted
     * when too many wait; messages of trace topics are not noted.
     */
    public ProducerBuilder enableMsgTrace() {
        return enableMsgTrace(SystemTopic.TRACE);
    }

    /** As {@link #enableMsgTrace()}, in a trace topic of the user's own. */
    public ProducerBuilder enableMsgTrace(String topic) {
        this.traceTopic = topic;
        return this;
    }

    /**
     * Writes the trace notes of a client with these settings, through a producer of its own. For the library's own packages.
     *
     * @param role {@code PRODUCE} or {@code CONSUME}
     * @throws IllegalArgumentException when the topic cannot be used, saying why
     */
    public static TraceWriter traceWriter(String topic, ClientSettings of, String group, String role) {
        TraceWriter.checkTopic(topic);
        ProducerConfig config = new ProducerConfig(
                TraceWriter.carrierOf(group, role),
                ProducerConfig.DEFAULT_SEND_TIMEOUT_MS,
                ProducerConfig.DEFAULT_MAX_TRIES,
                ProducerConfig.DEFAULT_NEW_TOPIC_QUEUES,
                ProducerConfig.DEFAULT_MAX_MESSAGE_BYTES,
                ProducerConfig.Batching.DEFAULT,
                ProducerConfig.Compression.DEFAULT,
                TRACE_BUFFER_BYTES,
                TRACE_BUFFER_MESSAGES,
                WhenFull.FAIL);
        ClientSettings own = of.withInstanceName(of.instanceName() + "#trace");
        Producer producer = new Producer(own, config, new SecureRandom(), SendObservers.NONE, null, null);
        return new TraceWriter(topic, new Carrier(producer));
    }

    /** A producer that sends trace messages. */
    private record Carrier(Producer producer) implements TraceOutlet {
        @Override
        public void start() {
            producer.start();
        }

        @Override
        public CompletableFuture<?> send(Message message) {
            return producer.sendAsync(message);
        }

        @Override
        public ClientLoop loop() {
            return producer.loop();
        }

        @Override
        public void close() {
            producer.close();
        }
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
        ClientSettings settings = settings(uniqueInstanceName());
        TraceWriter trace = traceTopic == null ? null : traceWriter(traceTopic, settings, group, "PRODUCE");
        List<SendObserver> looking = new ArrayList<>(observers);
        if (trace != null) {
            looking.add(new TraceSends(trace, group));
        }
        return new Producer(settings, config, random, new SendObservers(looking), requests, trace);
    }
}
