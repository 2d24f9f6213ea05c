package dev.perigee.client.position;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Positions of a group at its brokers (codes 14 and 15): at the master, or at a replica while no route shows one. Offsets that did not
 * change are sent again now and then.
 */
@ThreadSafe
public final class BrokerOffsets implements OffsetStore {
    /** Over which connection of a broker commits go. */
    public enum Committer {
        /** Any: the commits count whoever the broker takes their sender for. */
        ANYBODY,
        /**
         * One over which the broker has answered a heartbeat: it knows then that a member commits, and does not let one that has lost
         * the queue move back what the next one has consumed. Over a connection of nobody it would, for that may be a tool's.
         */
        MEMBER
    }

    /** Every so many rounds unchanged offsets are sent too, for a broker that lost the latest ones in a crash. */
    static final int ROUNDS_PER_FULL_COMMIT = 6;

    /** Codes that the same commit meets again: the position is not this member's to move, or the group is gone. */
    private static final Set<Integer> REFUSED_FOR_GOOD =
            Set.of(ResponseCode.MESSAGE_ILLEGAL, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST);

    private static final Logger LOG = LoggerFactory.getLogger(BrokerOffsets.class);

    private final ClientInstance instance;
    private final String group;
    private final Committer committer;
    private final @Nullable Boolean zeroIfNotFound;
    private final ConcurrentMap<MessageQueue, Long> offsets = new ConcurrentHashMap<>();
    private final ConcurrentMap<MessageQueue, Long> sent = new ConcurrentHashMap<>();
    private final Set<MessageQueue> failing = ConcurrentHashMap.newKeySet();
    private final AtomicInteger rounds = new AtomicInteger();
    private final CommitOrder order = new CommitOrder(this::send);

    /** @param zeroIfNotFound whether a broker may answer 0 for a young queue without a stored offset; null leaves it to it */
    public BrokerOffsets(ClientInstance instance, String group, Committer committer, @Nullable Boolean zeroIfNotFound) {
        this.instance = instance;
        this.group = group;
        this.committer = committer;
        this.zeroIfNotFound = zeroIfNotFound;
    }

    @Override
    public CompletableFuture<Void> open() {
        return CompletableFuture.completedFuture(null);
    }

    /** Asks behind the commits of the queue that are on their way, which may be waiting for one another. */
    @Override
    public CompletableFuture<Long> read(MessageQueue queue) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        Completion.on(order.settled(queue), (ignored, never) -> ask(queue, result));
        return result;
    }

    private void ask(MessageQueue queue, CompletableFuture<Long> result) {
        Optional<String> address = instance.routes().address(queue.brokerName(), BrokerData.MASTER_ID);
        if (address.isEmpty()) {
            result.completeExceptionally(new NoRouteException(
                    "no address known of broker " + queue.brokerName(),
                    instance.callBegins(queue.topic()).get()));
            return;
        }
        var header = new QueryOffsetHeader(group, queue.topic(), queue.queueId(), zeroIfNotFound);
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(address.get(), Rpcs.QUERY_CONSUMER_OFFSET, header, queue.topic())),
                (answered, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (answered.isOk()) {
                        result.complete(answered.answer().require().offset());
                    } else if (answered.code() == ResponseCode.QUERY_NOT_FOUND && isMaster(queue, address.get())) {
                        result.complete(NOT_STORED);
                    } else {
                        result.completeExceptionally(answered.refused(true));
                    }
                });
    }

    /** A replica may not have heard yet of what its master has stored: that it knows nothing says nothing. */
    private boolean isMaster(MessageQueue queue, String address) {
        return instance.routes()
                .masterAddress(queue.brokerName())
                .filter(address::equals)
                .isPresent();
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
        boolean full = rounds.incrementAndGet() % ROUNDS_PER_FULL_COMMIT == 0;
        List<CompletableFuture<Void>> commits = new ArrayList<>();
        for (MessageQueue queue : queues) {
            Long offset = offsets.get(queue);
            if (offset != null && (full || !offset.equals(sent.get(queue)))) {
                commits.add(order.commit(queue, offset).handle((done, failure) -> {
                    if (failure != null) {
                        failed(queue, offset, Failures.unwrap(failure));
                    }
                    return null;
                }));
            }
        }
        return CompletableFuture.allOf(commits.toArray(CompletableFuture<?>[]::new));
    }

    /** What the broker refuses for good is not sent again; anything else is tried with the next round. */
    private void failed(MessageQueue queue, long offset, Throwable failure) {
        if (failure instanceof RefusedException refused && REFUSED_FOR_GOOD.contains(refused.code())) {
            offsets.remove(queue, offset);
        }
        if (failing.add(queue)) {
            LOG.warn(
                    "event=offset_not_committed group={} queue={} offset={} reason=\"{}\"",
                    group,
                    queue,
                    offset,
                    failure.getMessage());
        }
    }

    @Override
    public CompletableFuture<Void> commit(Map<MessageQueue, Long> positions) {
        List<CompletableFuture<Void>> commits = new ArrayList<>();
        positions.forEach((queue, offset) -> {
            update(queue, offset);
            commits.add(order.commit(queue, offset));
        });
        return CompletableFuture.allOf(commits.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> send(MessageQueue queue, LongSupplier offset) {
        Optional<String> address = instance.routes().address(queue.brokerName(), BrokerData.MASTER_ID);
        if (address.isEmpty()) {
            return CompletableFuture.failedFuture(new NoRouteException(
                    "no address known of broker " + queue.brokerName(),
                    instance.callBegins(queue.topic()).get()));
        }
        BrokerCalls calls = instance.calls();
        if (committer == Committer.ANYBODY) {
            long going = offset.getAsLong();
            return committed(queue, going, calls.demand(question(address.get(), queue, going)));
        }
        Deadline deadline = calls.deadline();
        return instance.heartbeats().heardOver(address.get()).thenCompose(connection -> {
            long going = offset.getAsLong();
            return committed(
                    queue,
                    going,
                    calls.demand(question(address.get(), queue, going).until(deadline), connection));
        });
    }

    private BrokerCalls.Question<UpdateOffsetHeader, NoHeader> question(
            String address, MessageQueue queue, long offset) {
        var header = new UpdateOffsetHeader(group, queue.topic(), queue.queueId(), offset);
        return BrokerCalls.Question.of(address, Rpcs.UPDATE_CONSUMER_OFFSET, header, queue.topic());
    }

    private CompletableFuture<Void> committed(
            MessageQueue queue, long offset, CompletableFuture<Answer<NoHeader>> commit) {
        return commit.thenAccept(answer -> {
            sent.put(queue, offset);
            failing.remove(queue);
        });
    }

    @Override
    public void forget(MessageQueue queue) {
        offsets.remove(queue);
        sent.remove(queue);
        failing.remove(queue);
    }

    /** Nothing to do: what is in memory is made last by {@link #persist}, which needs the connections. */
    @Override
    public void close() {}
}
