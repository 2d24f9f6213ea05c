package dev.perigee.client.queue;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Positions of a group at its brokers (codes 14 and 15). Offsets that did not change are sent again now and then. */
@ThreadSafe
public final class BrokerOffsets implements OffsetStore {
    /** Every so many rounds unchanged offsets are sent too, for a broker that lost the latest ones in a crash. */
    static final int ROUNDS_PER_FULL_COMMIT = 6;

    private static final Logger LOG = LoggerFactory.getLogger(BrokerOffsets.class);

    private final ClientInstance instance;
    private final String group;
    private final @Nullable Boolean zeroIfNotFound;
    private final ConcurrentMap<MessageQueue, Long> offsets = new ConcurrentHashMap<>();
    private final ConcurrentMap<MessageQueue, Long> sent = new ConcurrentHashMap<>();
    private final Set<MessageQueue> failing = ConcurrentHashMap.newKeySet();
    private int rounds;

    /** @param zeroIfNotFound whether a broker may answer 0 for a young queue without a stored offset; null leaves it to it */
    public BrokerOffsets(ClientInstance instance, String group, @Nullable Boolean zeroIfNotFound) {
        this.instance = instance;
        this.group = group;
        this.zeroIfNotFound = zeroIfNotFound;
    }

    @Override
    public CompletableFuture<Long> read(MessageQueue queue) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        Optional<String> address = instance.routes().masterAddress(queue.brokerName());
        if (address.isEmpty()) {
            result.completeExceptionally(new NoRouteException(
                    "no address known of broker " + queue.brokerName(), FailureSite.ofTopic(queue.topic())));
            return result;
        }
        var header = new QueryOffsetHeader(group, queue.topic(), queue.queueId(), zeroIfNotFound);
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(address.get(), Rpcs.QUERY_CONSUMER_OFFSET, header, queue.topic())),
                (answer, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (answer.isOk()) {
                        result.complete(answer.require().offset());
                    } else if (answer.code() == ResponseCode.QUERY_NOT_FOUND) {
                        result.complete(NOT_STORED);
                    } else {
                        FailureSite site = new FailureSite(address.get(), queue.topic(), 1, 0);
                        result.completeExceptionally(Failures.refused(answer, true, site));
                    }
                });
        return result;
    }

    @Override
    public void update(MessageQueue queue, long offset) {
        offsets.put(queue, offset);
    }

    @Override
    public long inMemory(MessageQueue queue) {
        return offsets.getOrDefault(queue, NOT_STORED);
    }

    @Override
    public CompletableFuture<Void> persist(Collection<MessageQueue> queues) {
        boolean full = ++rounds % ROUNDS_PER_FULL_COMMIT == 0;
        CompletableFuture<?>[] commits = queues.stream()
                .filter(queue -> offsets.containsKey(queue)
                        && (full || !offsets.get(queue).equals(sent.get(queue))))
                .map(this::commit)
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(commits);
    }

    private CompletableFuture<Void> commit(MessageQueue queue) {
        long offset = inMemory(queue);
        Optional<String> address = instance.routes().masterAddress(queue.brokerName());
        if (offset < 0 || address.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        var header = new UpdateOffsetHeader(group, queue.topic(), queue.queueId(), offset);
        return instance.calls()
                .demand(BrokerCalls.Question.of(address.get(), Rpcs.UPDATE_CONSUMER_OFFSET, header, queue.topic()))
                .handle((answer, failure) -> {
                    if (failure == null) {
                        sent.put(queue, offset);
                        failing.remove(queue);
                    } else if (failing.add(queue)) {
                        LOG.warn(
                                "event=offset_not_committed group={} queue={} offset={} reason=\"{}\"",
                                group,
                                queue,
                                offset,
                                failure.getMessage());
                    }
                    return null;
                });
    }

    @Override
    public void forget(MessageQueue queue) {
        offsets.remove(queue);
        sent.remove(queue);
        failing.remove(queue);
    }
}
