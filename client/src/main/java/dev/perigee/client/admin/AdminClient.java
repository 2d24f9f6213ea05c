package dev.perigee.client.admin;

import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.instance.ClientSettings;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.remoting.HandlerTable;
import java.util.Set;

/**
 * The administration of a cluster, in typed calls. Build, {@link #start}, use from any thread, close.
 *
 * <pre>{@code
 * try (AdminClient admin = AdminClient.builder().nameServers("127.0.0.1:9876").build()) {
 *     admin.start();
 *     admin.topics().createOrUpdate(TopicConfig.of("demo", 8));
 * }
 * }</pre>
 */
@ThreadSafe
public final class AdminClient implements AutoCloseable {
    /** Deadline of one administrative call. */
    public static final long DEFAULT_TIMEOUT_MS = 5_000;

    private final ClientInstance instance;
    private final TopicAdmin topics;
    private final GroupAdmin groups;
    private final BrokerAdmin brokers;
    private final MessageAdmin messages;
    private final NameServerAdmin nameServers;
    private final OffsetAdmin offsets;
    private final ClientAdmin clients;
    private final DeadLetters deadLetters;
    private final TransactionAdmin transactions;

    private AdminClient(ClientSettings settings, long timeoutMs) {
        HeartbeatData silent = new HeartbeatData(settings.clientId(), Set.of(), Set.of(), 0, false);
        this.instance = new ClientInstance(settings, HandlerTable.empty(), () -> silent);
        AdminCalls calls = new AdminCalls(instance, timeoutMs);
        this.topics = new TopicAdmin(calls);
        this.groups = new GroupAdmin(calls);
        this.brokers = new BrokerAdmin(calls);
        this.messages = new MessageAdmin(calls);
        this.nameServers = new NameServerAdmin(calls);
        this.offsets = new OffsetAdmin(calls, groups, topics);
        this.clients = new ClientAdmin(calls);
        this.deadLetters = new DeadLetters(calls, topics, messages);
        this.transactions = new TransactionAdmin(calls);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts the client's threads; nothing is connected before the first call. */
    public void start() {
        instance.start();
    }

    public TopicAdmin topics() {
        return topics;
    }

    public GroupAdmin groups() {
        return groups;
    }

    public BrokerAdmin brokers() {
        return brokers;
    }

    public MessageAdmin messages() {
        return messages;
    }

    public NameServerAdmin nameServers() {
        return nameServers;
    }

    public OffsetAdmin offsets() {
        return offsets;
    }

    public ClientAdmin clients() {
        return clients;
    }

    public DeadLetters deadLetters() {
        return deadLetters;
    }

    public TransactionAdmin transactions() {
        return transactions;
    }

    @Override
    public void close() {
        instance.close();
    }

    /** Collects the settings of an {@link AdminClient}. */
    public static final class Builder extends ClientBuilder<Builder> {
        private long timeoutMs = DEFAULT_TIMEOUT_MS;

        private Builder() {}

        @Override
        protected Builder self() {
            return this;
        }

        /** Deadline of one administrative call, in milliseconds; 5,000 by default. */
        public Builder timeoutMs(long limitMs) {
            this.timeoutMs = limitMs;
            return this;
        }

        /** @throws IllegalArgumentException when a setting is out of its range, naming it */
        public AdminClient build() {
            if (timeoutMs <= 0) {
                throw new IllegalArgumentException("timeoutMs=" + timeoutMs + ", must be above 0");
            }
            return new AdminClient(settings(uniqueInstanceName()), timeoutMs);
        }
    }
}
