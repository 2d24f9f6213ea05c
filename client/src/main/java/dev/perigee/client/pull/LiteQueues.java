package dev.perigee.client.pull;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.member.QueueTable;
import dev.perigee.client.position.OffsetStore;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.Start;
import dev.perigee.client.queue.StartPosition;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues a pull consumer reads: takes them up, moves and pauses them, and gives them up. */
@OwnedBy("client loop")
final class LiteQueues implements Rebalance.Owner, QueuePuller.Sink {
    /** Queues that may be paused at a time, read or not. */
    static final int MAX_PAUSED = 10_000;
    /** What is wrong with a queue of somebody else. */
    static final String NOT_OURS = " is not read by this consumer";

    private static final Logger LOG = LoggerFactory.getLogger(LiteQueues.class);

    /** Whether the queues are shared with other members, who have to find the same start. */
    private enum Sharing {
        SHARED,
        BY_HAND
    }

    /** What a consumer's queues work with. */
    record Parts(Positions positions, StartPosition start, PollBuffer buffer, QueueChanges changes) {}

    private final ClientInstance instance;
    private final Positions positions;
    private final StartPosition start;
    private final PollBuffer buffer;
    private final QueueChanges changes;
    private final Runnable rebalanceSoon;
    private final QueuePuller.Parts pullerParts;
    private final Map<MessageQueue, QueuePuller> pullers = new HashMap<>();
    /** The number of the attempt to begin a queue; the answer to an older one is void. */
    private final Map<MessageQueue, Long> starting = new HashMap<>();

    private final Map<MessageQueue, Long> soughtWhileStarting = new HashMap<>();
    private final Set<MessageQueue> paused = new HashSet<>();
    /** What the one pull brought that was under way when its queue was paused. */
    private final Map<MessageQueue, PollBuffer.Fetched> cameWhilePaused = new HashMap<>();

    private final Map<String, Set<MessageQueue>> found = new HashMap<>();
    private long attempts;

    /**
     * @param pullerParts makes the parts of pullers, given where their messages go
     * @param rebalanceSoon asks for a round in a while
     */
    LiteQueues(
            ClientInstance instance,
            Parts parts,
            Function<QueuePuller.Sink, QueuePuller.Parts> pullerParts,
            Runnable rebalanceSoon) {
        this.instance = instance;
        this.positions = parts.positions;
        this.start = parts.start;
        this.buffer = parts.buffer;
        this.changes = parts.changes;
        this.rebalanceSoon = rebalanceSoon;
        this.pullerParts = pullerParts.apply(this);
    }

    Set<MessageQueue> owned() {
        return InOrder.copyOf(pullers.keySet());
    }

    Collection<QueuePuller> pullers() {
        return pullers.values();
    }

    @Override
    public void found(String topic, Set<MessageQueue> all) {
        found.put(topic, all);
        start.found(topic, all);
    }

    @Override
    public void roundEnded() {
        start.roundEnded();
    }

    /** The start of the consumer is over, see {@link StartPosition#startEnded}. */
    void startEnded(Collection<String> topics) {
        start.startEnded(topics);
    }

    @Override
    public CompletableFuture<Void> assign(String topic, Set<MessageQueue> mine) {
        changes.assigned(topic, found.getOrDefault(topic, mine), mine);
        return assignAll(queue -> queue.topic().equals(topic), mine, Sharing.SHARED);
    }

    /** Nothing of a topic that is not subscribed any more. */
    void leave(String topic) {
        found.remove(topic);
        start.forget(topic);
        changes.assigned(topic, Set.of(), Set.of());
        Completion.unawaited(assignAll(queue -> queue.topic().equals(topic), Set.of(), Sharing.SHARED));
    }

    /** From now on exactly these queues, of all topics. */
    CompletableFuture<Void> assignExactly(Collection<MessageQueue> queues) {
        found.keySet().forEach(start::forget);
        found.clear();
        return assignAll(queue -> true, new HashSet<>(queues), Sharing.BY_HAND);
    }

    private CompletableFuture<Void> assignAll(
            Predicate<MessageQueue> concerned, Set<MessageQueue> mine, Sharing sharing) {
        Predicate<MessageQueue> isGone = queue -> concerned.test(queue) && !mine.contains(queue);
        for (MessageQueue queue : List.copyOf(pullers.keySet())) {
            if (isGone.test(queue)) {
                drop(queue);
            }
        }
        starting.keySet().removeIf(isGone);
        soughtWhileStarting.keySet().removeIf(isGone);
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        for (MessageQueue queue : mine) {
            if (!pullers.containsKey(queue) && !starting.containsKey(queue)) {
                begun.add(begin(queue, sharing));
            }
        }
        return CompletableFuture.allOf(begun.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> begin(MessageQueue queue, Sharing sharing) {
        Long attempt = attempts++;
        starting.put(queue, attempt);
        CompletableFuture<Void> done = new CompletableFuture<>();
        Completion.on(
                start.find(queue),
                (from, failure) -> instance.loop().execute(() -> {
                    if (!starting.remove(queue, attempt)) {
                        done.complete(null);
                    } else if (failure == null) {
                        begun(queue, from, sharing, done);
                    } else {
                        notFound(queue, failure, done);
                    }
                }));
        return done;
    }

    private void begun(MessageQueue queue, Start found, Sharing sharing, CompletableFuture<Void> done) {
        Long sought = soughtWhileStarting.remove(queue);
        if (sought != null) {
            take(queue, new Start(sought, Start.Origin.POLICY)).pull();
            done.complete(null);
            return;
        }
        QueuePuller puller = take(queue, found);
        CompletableFuture<Void> lasting =
                sharing == Sharing.SHARED ? positions.commitStart(queue) : CompletableFuture.completedFuture(null);
        Completion.on(
                lasting,
                (ignored, never) -> instance.loop().execute(() -> {
                    puller.pull();
                    done.complete(null);
                }));
    }

    private void notFound(MessageQueue queue, Throwable failure, CompletableFuture<Void> done) {
        Long sought = soughtWhileStarting.remove(queue);
        if (sought != null) {
            take(queue, new Start(sought, Start.Origin.POLICY)).pull();
        } else {
            LOG.warn("event=no_start_position queue={} reason=\"{}\"", queue, failure.getMessage());
            rebalanceSoon.run();
        }
        done.complete(null);
    }

    private QueuePuller take(MessageQueue queue, Start from) {
        LOG.info("event=queue_taken queue={} offset={} origin={}", queue, from.offset(), from.origin());
        QueuePuller puller = new QueuePuller(queue, from.offset(), pullerParts);
        positions.begun(queue, from);
        pullers.put(queue, puller);
        if (paused.contains(queue)) {
            puller.pauseUntilResumed();
        }
        return puller;
    }

    private void drop(MessageQueue queue) {
        QueuePuller puller = pullers.remove(queue);
        if (puller != null) {
            LOG.info("event=queue_dropped queue={}", queue);
            puller.drop();
            cameWhilePaused.remove(queue);
            positions.reached(queue, puller.cache().commitOffset());
            positions.lost(queue);
            buffer.dropVoid();
        }
    }

    /** A polled batch was consumed. One of a queue that was lost or moved meanwhile is somebody else's, or comes again. */
    void consumed(PollBuffer.Fetched batch) {
        QueuePuller from = batch.from();
        if (pullers.get(from.queue()) == from && from.generation() == batch.generation()) {
            from.finish(batch.slots());
        }
    }

    /** Commits what was consumed, where that happens by itself. Never fails. */
    CompletableFuture<Void> persist() {
        advance();
        return positions.persist();
    }

    /** Commits what was consumed, because the user says so. Fails with the first failure. */
    CompletableFuture<Void> commit() {
        advance();
        return positions.commitConsumed();
    }

    /**
     * Commits exactly these positions and gives no queue; or gives the queues among them that are not read, and commits
     * nothing. Fails with the first failure.
     */
    CompletableFuture<Set<MessageQueue>> commit(Map<MessageQueue, Long> wanted) {
        Set<MessageQueue> foreign = new HashSet<>(wanted.keySet());
        foreign.removeAll(pullers.keySet());
        return foreign.isEmpty()
                ? positions.commit(wanted).thenApply(done -> Set.<MessageQueue>of())
                : CompletableFuture.completedFuture(foreign);
    }

    /** @throws IllegalArgumentException when an offset is negative, naming it */
    static void requireOffsets(Map<MessageQueue, Long> wanted) {
        wanted.forEach((queue, offset) -> {
            if (offset < 0) {
                throw new IllegalArgumentException("offset=" + offset + " of " + queue + ", must not be below 0");
            }
        });
    }

    private void advance() {
        pullers.forEach(
                (queue, puller) -> positions.reached(queue, puller.cache().commitOffset()));
    }

    /** Moves a queue; false when it is not one of ours. */
    boolean seek(MessageQueue queue, long offset) {
        QueuePuller puller = pullers.get(queue);
        if (puller != null) {
            puller.seek(offset);
            buffer.dropVoid();
            puller.pull();
            return true;
        }
        if (starting.containsKey(queue)) {
            soughtWhileStarting.put(queue, offset);
            return true;
        }
        return false;
    }

    /** Moves queues to positions given from outside, and commits them whoever commits otherwise. */
    void reset(Map<MessageQueue, Long> given) {
        given.forEach((queue, offset) -> {
            if (seek(queue, offset)) {
                LOG.info("event=offset_reset queue={} to={}", queue, offset);
            }
            if (pullers.containsKey(queue)) {
                Completion.unawaited(positions.commit(Map.of(queue, offset)));
            }
        });
    }

    /** Holds also for queues that are not read yet, and for ones that go and come back, up to {@link #MAX_PAUSED}. */
    void pause(Collection<MessageQueue> queues) {
        for (MessageQueue queue : queues) {
            if (paused.size() < MAX_PAUSED) {
                paused.add(queue);
            } else if (!paused.contains(queue)) {
                LOG.warn("event=pause_not_remembered queue={} limit={}", queue, MAX_PAUSED);
            }
            QueuePuller puller = pullers.get(queue);
            if (puller != null) {
                puller.pauseUntilResumed();
            }
        }
    }

    void resume(Collection<MessageQueue> queues) {
        for (MessageQueue queue : queues) {
            paused.remove(queue);
            PollBuffer.Fetched batch = cameWhilePaused.remove(queue);
            if (batch != null && !batch.isVoid()) {
                buffer.add(batch);
            }
            QueuePuller puller = pullers.get(queue);
            if (puller != null) {
                puller.resume();
            }
        }
    }

    /** Whether the queue is read, or will be once its start is known. */
    boolean isOurs(MessageQueue queue) {
        return pullers.containsKey(queue) || starting.containsKey(queue);
    }

    /** The next offset to be polled; {@link OffsetStore#NOT_STORED} when the queue is not one of ours. */
    long position(MessageQueue queue) {
        QueuePuller puller = pullers.get(queue);
        if (puller == null) {
            return OffsetStore.NOT_STORED;
        }
        PollBuffer.Fetched late = cameWhilePaused.get(queue);
        long next = late != null && !late.isVoid()
                ? late.firstOffset()
                : puller.cache().nextOffset();
        return buffer.firstOffset(puller).orElse(next);
    }

    PullMetrics metrics() {
        QueueTable table = QueueTable.of(pullers.values(), pullerParts.gate(), queue -> 0);
        return new PullMetrics(
                pullers.size(), table.all().cachedMessages(), table.all().cachedBytes(), table.byQueue(), table.more());
    }

    /** Pulls no more; the queues are still owned, for the last commit. */
    void freeze() {
        starting.clear();
        soughtWhileStarting.clear();
        pullers.values().forEach(QueuePuller::drop);
    }

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        List<MessageExt> messages = new ArrayList<>(slots.size());
        for (ProcessQueue.Slot slot : slots) {
            messages.add(slot.message());
        }
        PollBuffer.Fetched batch = new PollBuffer.Fetched(from, from.generation(), slots, messages);
        if (paused.contains(from.queue())) {
            cameWhilePaused.put(from.queue(), batch);
        } else {
            buffer.add(batch);
        }
    }

    @Override
    public void moved(QueuePuller from, long newOffset) {
        buffer.dropVoid();
    }

    @Override
    public void unknownToBroker(QueuePuller from) {
        instance.heartbeats().beatSoon();
    }
}
