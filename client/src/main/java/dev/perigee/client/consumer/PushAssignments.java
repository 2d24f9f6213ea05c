package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.listener.ConsumeCounters;
import dev.perigee.client.member.QueueTable;
import dev.perigee.client.position.OffsetStore;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.Start;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues a push consumer owns right now: takes them up, feeds the listener, commits, and gives them up. */
@OwnedBy("client loop")
final class PushAssignments implements Rebalance.Owner, QueuePuller.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(PushAssignments.class);

    private final ClientInstance instance;
    private final OffsetStore offsets;
    private final StartPosition start;
    private final ConsumeCounters counters;
    private final Runnable rebalanceSoon;
    private final Map<MessageQueue, QueuePuller> pullers = new HashMap<>();
    private final Map<MessageQueue, Starting> starting = new HashMap<>();
    private QueuePuller.Parts pullerParts;
    private PushWork work;
    private Consumer<MessageQueue> taken = queue -> {};
    private boolean suspended;

    /** One taking up of a queue that is under way; compared by identity. */
    private static final class Starting {
        private @Nullable Long resetTo;
    }

    /**
     * @param parts makes the parts of pullers, given where their messages go
     * @param work makes the listener's side, given this
     * @param rebalanceSoon asks for a round in a while
     */
    PushAssignments(
            ClientInstance instance,
            OffsetStore offsets,
            StartPosition start,
            ConsumeCounters counters,
            Function<QueuePuller.Sink, QueuePuller.Parts> parts,
            Function<PushAssignments, PushWork> work,
            Runnable rebalanceSoon) {
        this.instance = instance;
        this.offsets = offsets;
        this.start = start;
        this.counters = counters;
        this.rebalanceSoon = rebalanceSoon;
        this.pullerParts = parts.apply(this);
        this.work = work.apply(this);
    }

    /** Who is told of every queue taken. Set before the start. */
    void onTaken(Consumer<MessageQueue> listener) {
        this.taken = listener;
    }

    /** The queues owned. */
    Set<MessageQueue> queues() {
        return InOrder.copyOf(pullers.keySet());
    }

    PushWork work() {
        return work;
    }

    Collection<QueuePuller> pullers() {
        return pullers.values();
    }

    /** Whether this puller is the one that owns its queue now; results for any other are void. */
    boolean owns(QueuePuller puller) {
        return pullers.get(puller.queue()) == puller;
    }

    @Override
    public void found(String topic, Set<MessageQueue> all) {
        start.found(topic, all);
    }

    @Override
    public void roundEnded() {
        start.roundEnded();
    }

    /** The start of the consumer is over, see {@link StartPosition#startEnded}. */
    void startEnded(Collection<String> subscribed) {
        start.startEnded(subscribed);
    }

    @Override
    public CompletableFuture<Void> assign(String topic, Set<MessageQueue> mine) {
        for (MessageQueue queue : List.copyOf(pullers.keySet())) {
            if (queue.topic().equals(topic) && !mine.contains(queue)) {
                drop(queue, "not mine any more");
            }
        }
        starting.keySet().removeIf(queue -> queue.topic().equals(topic) && !mine.contains(queue));
        Map<MessageQueue, Starting> fresh = new LinkedHashMap<>();
        for (MessageQueue queue : mine) {
            if (!pullers.containsKey(queue) && !starting.containsKey(queue)) {
                fresh.put(queue, new Starting());
            }
        }
        if (fresh.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        starting.putAll(fresh);
        CompletableFuture<Void> begun = new CompletableFuture<>();
        Completion.on(
                work.admit(InOrder.copyOf(fresh.keySet())),
                (admitted, never) -> instance.loop().execute(() -> begin(fresh, admitted, begun)));
        return begun;
    }

    private void begin(Map<MessageQueue, Starting> fresh, Set<MessageQueue> admitted, CompletableFuture<Void> begun) {
        List<CompletableFuture<Void>> found = new ArrayList<>();
        fresh.forEach((queue, mark) -> {
            if (!admitted.contains(queue)) {
                if (starting.remove(queue, mark)) {
                    rebalanceSoon.run();
                }
            } else if (starting.get(queue) == mark) {
                found.add(findStart(queue, mark));
            } else {
                abandon(queue);
            }
        });
        Completion.on(
                CompletableFuture.allOf(found.toArray(CompletableFuture<?>[]::new)),
                (ignored, failure) -> begun.complete(null));
    }

    /** What was admitted is not wanted any more: it is given back, unless it was taken up once more meanwhile. */
    private void abandon(MessageQueue queue) {
        LOG.debug("event=queue_gone_while_starting queue={}", queue);
        if (!pullers.containsKey(queue) && !starting.containsKey(queue)) {
            work.abandoned(queue);
        }
    }

    private CompletableFuture<Void> findStart(MessageQueue queue, Starting mark) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Completion.on(
                start.find(queue),
                (found, failure) -> instance.loop().execute(() -> {
                    boolean isWanted = starting.remove(queue, mark);
                    Long resetTo = mark.resetTo;
                    if (!isWanted) {
                        abandon(queue);
                        done.complete(null);
                    } else if (resetTo != null) {
                        take(queue, new Start(resetTo, Start.Origin.POLICY), done);
                    } else if (failure != null) {
                        LOG.warn("event=no_start_position queue={} reason=\"{}\"", queue, failure.getMessage());
                        work.abandoned(queue);
                        rebalanceSoon.run();
                        done.complete(null);
                    } else {
                        take(queue, found, done);
                    }
                }));
        return done;
    }

    /** A start that nobody has stored is stored before the first pull, so that whoever comes next starts there too. */
    private void take(MessageQueue queue, Start from, CompletableFuture<Void> done) {
        LOG.info("event=queue_taken queue={} offset={} origin={}", queue, from.offset(), from.origin());
        QueuePuller puller = new QueuePuller(queue, from.offset(), pullerParts);
        puller.commitFrom(() -> offsets.inMemory(queue));
        offsets.update(queue, from.offset());
        pullers.put(queue, puller);
        taken.accept(queue);
        if (suspended) {
            puller.pauseUntilResumed();
        }
        CompletableFuture<Void> lasting = from.origin() == Start.Origin.POLICY
                ? offsets.persist(List.of(queue))
                : CompletableFuture.completedFuture(null);
        Completion.on(
                lasting,
                (ignored, never) -> instance.loop().execute(() -> {
                    puller.pull();
                    done.complete(null);
                }));
    }

    private void drop(MessageQueue queue, String reason) {
        work.settle(); // while its ended calls still count
        QueuePuller puller = pullers.remove(queue);
        if (puller == null) {
            return;
        }
        LOG.info("event=queue_dropped queue={} reason=\"{}\"", queue, reason);
        puller.drop();
        work.dropped(puller, new PushWork.Release() {
            @Override
            public CompletableFuture<Void> commit() {
                if (pullers.containsKey(queue)) {
                    return CompletableFuture.completedFuture(null);
                }
                offsets.update(queue, puller.cache().commitOffset());
                CompletableFuture<Void> committed = offsets.persist(List.of(queue));
                Completion.on(
                        committed,
                        (ignored, never) -> instance.loop().execute(() -> PushAssignments.this.forget(queue)));
                return committed;
            }

            @Override
            public void forget() {
                PushAssignments.this.forget(queue);
            }
        });
    }

    private void forget(MessageQueue queue) {
        if (!pullers.containsKey(queue) && !starting.containsKey(queue)) {
            offsets.forget(queue);
        }
    }

    /** Gives a queue up and asks for it anew, reading its position again. */
    void restart(MessageQueue queue, String reason) {
        drop(queue, reason);
        rebalanceSoon.run();
    }

    /** Everything of a topic that is not subscribed any more. */
    void dropTopic(String topic) {
        start.forget(topic);
        Completion.unawaited(assign(topic, Set.of()));
    }

    /** Moves queues to positions given from outside, and commits them. */
    void reset(Map<MessageQueue, Long> positions) {
        positions.forEach((queue, offset) -> {
            QueuePuller puller = pullers.get(queue);
            if (puller == null) {
                Starting mark = starting.get(queue);
                if (mark != null) {
                    LOG.info("event=offset_reset queue={} from=start to={}", queue, offset);
                    mark.resetTo = offset;
                }
                return;
            }
            LOG.info(
                    "event=offset_reset queue={} from={} to={}",
                    queue,
                    puller.cache().commitOffset(),
                    offset);
            puller.seek(offset);
            moved(puller, offset);
            puller.pull();
        });
    }

    /** Commits what a puller's cache says is finished, to memory. */
    void advance(QueuePuller puller) {
        offsets.update(puller.queue(), puller.cache().commitOffset());
    }

    /** Makes the positions of all owned queues last. */
    CompletableFuture<Void> persist() {
        work.settle();
        pullers.values().forEach(this::advance);
        return offsets.persist(List.copyOf(pullers.keySet()));
    }

    /** Stops pulling; listener calls go on with what is cached. */
    void suspend() {
        suspended = true;
        pullers.values().forEach(QueuePuller::pauseUntilResumed);
    }

    /** Pulls again. */
    void resume() {
        suspended = false;
        pullers.values().forEach(QueuePuller::resume);
    }

    /** Pulls no more and starts no further listener call, but still owns the queues, for the last commit. */
    void freeze() {
        starting.clear();
        pullers.values().forEach(QueuePuller::drop);
    }

    Optional<QueuePuller> puller(MessageQueue queue) {
        return Optional.ofNullable(pullers.get(queue));
    }

    /** What to commit for a queue, or −1 when it is not owned. */
    long position(MessageQueue queue) {
        QueuePuller puller = pullers.get(queue);
        return puller == null ? OffsetStore.NOT_STORED : puller.cache().commitOffset();
    }

    /** What was done so far and how the queues stand; beyond the limit of queues the rest is summed. */
    ConsumerMetrics metrics(int runningCalls) {
        work.settle();
        long nowMs = instance.clock().wallMs();
        QueueTable table = QueueTable.of(pullers.values(), pullerParts.gate(), queue -> {
            long lockedAtMs = work.lockedAtMs(queue);
            return lockedAtMs == 0 ? 0 : nowMs - lockedAtMs;
        });
        return new ConsumerMetrics(
                counters.sum(topic -> topic.received.sum()),
                counters.sum(topic -> topic.consumed.sum()),
                counters.sum(topic -> topic.failed.sum()),
                counters.sum(topic -> topic.sentBack.sum()),
                counters.sum(topic -> topic.deadLettered.sum()),
                counters.sum(topic -> topic.timedOut.sum()),
                TimeUnit.NANOSECONDS.toMillis(counters.sum(topic -> topic.listenerNs.sum())),
                runningCalls,
                pullers.size(),
                table.all().cachedMessages(),
                table.all().cachedBytes(),
                table.byQueue(),
                table.more());
    }

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        counters.of(from.queue().topic()).received.add(slots.size());
        work.arrived(from, slots);
    }

    @Override
    public void moved(QueuePuller from, long newOffset) {
        offsets.update(from.queue(), newOffset);
        Completion.unawaited(offsets.persist(List.of(from.queue())));
        work.moved(from);
    }

    @Override
    public void unknownToBroker(QueuePuller from) {
        instance.heartbeats().beatSoon();
    }
}
