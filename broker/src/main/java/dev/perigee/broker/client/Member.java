package dev.perigee.broker.client;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.remoting.Connection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One client of a group, on one connection. Only the times of its last heartbeat change. */
@ThreadSafe
public final class Member {
    private final String clientId;
    private final Connection connection;
    private final @Nullable String language;
    private final int version;
    private final int fingerprint;
    private final long order;
    private final ConsumeType consumeType;
    private final MessageModel messageModel;
    private final Map<String, SubscriptionData> subscriptions;
    private volatile long seenMs;
    private volatile long seenWallMs;

    /** A producer. */
    Member(Sighting sighting) {
        this(sighting, ConsumeType.CONSUME_PASSIVELY, MessageModel.CLUSTERING, Map.of());
    }

    /** A consumer that says so of itself, with subscriptions that are in the budget. */
    Member(Sighting sighting, ConsumerData data, Map<String, SubscriptionData> subscriptions) {
        this(sighting, data.consumeType(), data.messageModel(), subscriptions);
    }

    private Member(
            Sighting sighting,
            ConsumeType consumeType,
            MessageModel messageModel,
            Map<String, SubscriptionData> subscriptions) {
        this.clientId = sighting.clientId();
        this.connection = sighting.connection();
        this.language = sighting.language();
        this.version = sighting.version();
        this.fingerprint = sighting.fingerprint();
        this.order = sighting.order();
        this.consumeType = consumeType;
        this.messageModel = messageModel;
        this.subscriptions = subscriptions;
        seenAgain(sighting);
    }

    /** In place of what was known of the same member: it was heard of no earlier than that. */
    Member insteadOf(Member before) {
        if (before.seenMs > seenMs) {
            seenMs = before.seenMs;
            seenWallMs = before.seenWallMs;
        }
        return this;
    }

    /** The name it gives itself; unique in its group. */
    public String clientId() {
        return clientId;
    }

    /** The connection it is on. */
    public Connection connection() {
        return connection;
    }

    /** The language it says it is written in, by its name on the wire. */
    public @Nullable String language() {
        return language;
    }

    /** Its release number. */
    public int version() {
        return version;
    }

    /** Wall time of its last heartbeat, for display. */
    public long seenWallMs() {
        return seenWallMs;
    }

    /** Push, pull or pop, as it says of itself. */
    public ConsumeType consumeType() {
        return consumeType;
    }

    /** Clustering or broadcasting, as it says of itself. */
    public MessageModel messageModel() {
        return messageModel;
    }

    /** topic → what of it this member wants, whatever the others of its group want. */
    public Map<String, SubscriptionData> subscriptions() {
        return subscriptions;
    }

    /** What this member wants of a topic, or null. */
    public @Nullable SubscriptionData subscription(String topic) {
        return subscriptions.get(topic);
    }

    /** The place of the sighting that described it. */
    long order() {
        return order;
    }

    int fingerprint() {
        return fingerprint;
    }

    long seenMs() {
        return seenMs;
    }

    void seenAgain(Sighting sighting) {
        seenMs = sighting.nowMs();
        seenWallMs = sighting.wallMs();
    }
}
