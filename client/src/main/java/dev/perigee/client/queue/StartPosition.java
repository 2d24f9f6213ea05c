package dev.perigee.client.queue;

import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.position.OffsetStore;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.QueueHeader;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicName;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds where to start in a queue: the stored offset, else what the policy says (client-behaviour §3.3). */
@ThreadSafe
public final class StartPosition {
    private static final Logger LOG = LoggerFactory.getLogger(StartPosition.class);

    private final ClientInstance instance;
    private final OffsetStore offsets;
    private final ConsumeFrom policy;
    private final QueueHistory history;

    public StartPosition(ClientInstance instance, OffsetStore offsets, ConsumeFrom policy) {
        this.instance = instance;
        this.offsets = offsets;
        this.policy = policy;
        this.history = new QueueHistory(instance.clock());
    }

    /**
     * Notes which queues a round found of a topic, none when it has no route. A queue that comes later is young and is read
     * from its beginning.
     */
    public void found(String topic, Set<MessageQueue> all) {
        history.found(topic, all);
    }

    /** The start is over although brokers have not answered: what is found of these topics from now on is found late. */
    public void startEnded(Collection<String> subscribed) {
        subscribed.forEach(topic -> history.found(topic, Set.of()));
        history.lookEnded();
    }

    /** Notes that a round has ended: what starts at the end but is found only later starts where the end was then. */
    public void roundEnded() {
        history.lookEnded();
    }

    /** Forgets a topic that is not consumed any more. */
    public void forget(String topic) {
        history.forget(topic);
    }

    /** Where to start. Fails when it cannot be known; the queue must not be pulled then. */
    public CompletableFuture<Start> find(MessageQueue queue) {
        return offsets.read(queue)
                .thenCompose(stored -> stored >= 0
                        ? CompletableFuture.completedFuture(new Start(stored, Start.Origin.STORED))
                        : byPolicy(queue).thenApply(offset -> new Start(offset, Start.Origin.POLICY)))
                .thenApply(start -> {
                    history.settled(queue);
                    return start;
                });
    }

    private CompletableFuture<Long> byPolicy(MessageQueue queue) {
        boolean isRetry = TopicName.isRetry(queue.topic());
        return switch (policy.kind()) {
            case LAST_OFFSET -> isRetry ? CompletableFuture.completedFuture(0L) : endThen(queue);
            case FIRST_OFFSET -> CompletableFuture.completedFuture(0L);
            case TIMESTAMP -> isRetry ? endThen(queue) : at(queue, policy.timestampMs());
        };
    }

    /**
     * The end the queue had when this consumer began with its topic, so that what was sent since is consumed however late
     * the broker could be asked. Where the present end does not tell, the time does, which relies on the clocks here and
     * there agreeing.
     */
    private CompletableFuture<Long> endThen(MessageQueue queue) {
        if (offsets.isYoungerThanStored(queue)) {
            return CompletableFuture.completedFuture(0L);
        }
        return switch (history.endOf(queue)) {
            // An answer that comes when the look is over may count what was sent after the start had returned.
            case PRESENT ->
                end(queue)
                        .thenCompose(end -> history.isLookOver(queue)
                                ? at(queue, history.sinceMs(queue))
                                : CompletableFuture.completedFuture(end));
            case EARLIER -> at(queue, history.sinceMs(queue));
            case BEGINNING -> CompletableFuture.completedFuture(0L);
        };
    }

    /** The end of a queue: the offset its next message will have. */
    public CompletableFuture<Long> end(MessageQueue queue) {
        return broker(queue)
                .thenCompose(address -> instance.calls()
                        .demand(BrokerCalls.Question.of(
                                address,
                                Rpcs.GET_MAX_OFFSET,
                                new MaxOffsetHeader(queue.topic(), queue.queueId(), true),
                                queue.topic())))
                .thenApply(answer -> answer.require().offset());
    }

    /** The first offset of a queue. */
    public CompletableFuture<Long> begin(MessageQueue queue) {
        return broker(queue)
                .thenCompose(address -> instance.calls()
                        .demand(BrokerCalls.Question.of(
                                address,
                                Rpcs.GET_MIN_OFFSET,
                                new QueueHeader(queue.topic(), queue.queueId()),
                                queue.topic())))
                .thenApply(answer -> answer.require().offset());
    }

    /** The offset of the first message stored at that time or later, milliseconds since 1970. */
    public CompletableFuture<Long> at(MessageQueue queue, long timestampMs) {
        return broker(queue)
                .thenCompose(address -> instance.calls()
                        .demand(BrokerCalls.Question.of(
                                address,
                                Rpcs.SEARCH_OFFSET_BY_TIMESTAMP,
                                new SearchOffsetHeader(queue.topic(), queue.queueId(), timestampMs, BoundaryType.LOWER),
                                queue.topic())))
                .thenApply(answer -> answer.require().offset());
    }

    /** The nearest offset to this one that the broker has, or its end. */
    public CompletableFuture<Long> within(MessageQueue queue, long offset) {
        return begin(queue).thenCombine(end(queue), (min, max) -> {
            long nearest = Math.max(min, Math.min(max, offset));
            if (nearest != offset) {
                LOG.info("event=seek_clamped queue={} asked={} min={} max={}", queue, offset, min, max);
            }
            return nearest;
        });
    }

    /** The master, or a replica while no route shows one. */
    private CompletableFuture<String> broker(MessageQueue queue) {
        Optional<String> address = instance.routes().address(queue.brokerName(), BrokerData.MASTER_ID);
        return address.map(CompletableFuture::completedFuture)
                .orElseGet(() -> CompletableFuture.failedFuture(new NoRouteException(
                        "no address known of broker " + queue.brokerName(),
                        instance.callBegins(queue.topic()).get())));
    }
}
