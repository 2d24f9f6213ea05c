package dev.perigee.client.pull;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.queue.OffsetStore;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.client.queue.StartPosition;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues a pull consumer reads, and what was read and not yet polled. */
@OwnedBy("client loop")
final class LiteQueues implements Rebalance.Owner, QueuePuller.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(LiteQueues.class);

    /** What one pull brought. Void when its puller was dropped or has moved since. */
    record Fetched(QueuePuller from, int generation, List<ProcessQueue.Slot> slots, List<MessageExt> messages) {
        boolean isVoid() {
            return from.isDropped() || from.generation() != generation;
        }
    }

    private final ClientInstance instance;
    private final OffsetStore offsets;
    private final StartPosition start;
    private final Runnable rebalanceSoon;
    private final QueuePuller.Parts parts;
    private final Map<MessageQueue, QueuePuller> pullers = new HashMap<>();
    private final Set<MessageQueue> starting = new HashSet<>();
    private final Map<MessageQueue, Long> soughtWhileStarting = new HashMap<>();
    /** Bounded by the flow control of each queue. Read by the polling thread. */
    private final BlockingQueue<Fetched> fetched = new LinkedBlockingQueue<>();

    LiteQueues(
            ClientInstance instance,
            OffsetStore offsets,
            StartPosition start,
            Function<QueuePuller.Sink, QueuePuller.Parts> parts,
            Runnable rebalanceSoon) {
        this.instance = instance;
        this.offsets = offsets;
        this.start = start;
        this.rebalanceSoon = rebalanceSoon;
        this.parts = parts.apply(this);
    }

    /** What waits for polls. Any thread. */
    BlockingQueue<Fetched> fetched() {
        return fetched;
    }

    Set<MessageQueue> owned() {
        return Set.copyOf(pullers.keySet());
    }

    @Override
    public void found(String topic, Set<MessageQueue> all) {
        start.found(topic, all);
    }

    @Override
    public void roundEnded() {
        start.roundEnded();
    }

    @Override
    public CompletableFuture<Void> assign(String topic, Set<MessageQueue> mine) {
        return assignAll(queue -> queue.topic().equals(topic), mine);
    }

    /** From now on exactly these queues, of all topics. */
    CompletableFuture<Void> assignExactly(Collection<MessageQueue> queues) {
        return assignAll(queue -> true, new HashSet<>(queues));
    }

    private CompletableFuture<Void> assignAll(Predicate<MessageQueue> concerned, Set<MessageQueue> mine) {
        for (MessageQueue queue : List.copyOf(pullers.keySet())) {
            if (concerned.test(queue) && !mine.contains(queue)) {
                drop(queue);
            }
        }
        starting.removeIf(queue -> concerned.test(queue) && !mine.contains(queue));
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        for (MessageQueue queue : mine) {
            if (!pullers.containsKey(queue) && starting.add(queue)) {
                begun.add(begin(queue));
            }
        }
        return CompletableFuture.allOf(begun.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> begin(MessageQueue queue) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Completion.on(
                start.find(queue),
                (found, failure) -> instance.loop().execute(() -> {
                    if (starting.remove(queue)) {
                        Long sought = soughtWhileStarting.remove(queue);
                        if (sought != null) {
                            take(queue, sought);
                        } else if (failure == null) {
                            take(queue, found.offset());
                        } else {
                            LOG.warn("event=no_start_position queue={} reason=\"{}\"", queue, failure.getMessage());
                            rebalanceSoon.run();
                        }
                    }
                    done.complete(null);
                }));
        return done;
    }

    private void take(MessageQueue queue, long offset) {
        LOG.info("event=queue_taken queue={} offset={}", queue, offset);
        QueuePuller puller = new QueuePuller(queue, offset, parts);
        offsets.update(queue, offset);
        pullers.put(queue, puller);
        puller.pull();
    }

    private void drop(MessageQueue queue) {
        QueuePuller puller = pullers.remove(queue);
        if (puller != null) {
            LOG.info("event=queue_dropped queue={}", queue);
            puller.drop();
            offsets.update(queue, puller.cache().commitOffset());
            Completion.unawaited(offsets.persist(List.of(queue)));
        }
    }

    /** Counts polled messages as consumed. */
    void finish(Fetched polled) {
        QueuePuller from = polled.from();
        if (pullers.get(from.queue()) == from && from.generation() == polled.generation()) {
            from.finish(polled.slots());
            offsets.update(from.queue(), from.cache().commitOffset());
        }
    }

    /** Moves a queue; false when it is not one of ours. */
    boolean seek(MessageQueue queue, long offset) {
        QueuePuller puller = pullers.get(queue);
        if (puller != null) {
            puller.seek(offset);
            offsets.update(queue, offset);
            fetched.removeIf(Fetched::isVoid);
            puller.pull();
            return true;
        }
        if (starting.contains(queue)) {
            soughtWhileStarting.put(queue, offset);
            return true;
        }
        return false;
    }

    void pause(Collection<MessageQueue> queues) {
        for (MessageQueue queue : queues) {
            QueuePuller puller = pullers.get(queue);
            if (puller != null) {
                puller.pauseUntilResumed();
            }
        }
    }

    void resume(Collection<MessageQueue> queues) {
        for (MessageQueue queue : queues) {
            QueuePuller puller = pullers.get(queue);
            if (puller != null) {
                puller.resume();
            }
        }
    }

    /** The next offset to be polled; {@link OffsetStore#NOT_STORED} when the queue is not one of ours. */
    long position(MessageQueue queue) {
        QueuePuller puller = pullers.get(queue);
        return puller == null ? OffsetStore.NOT_STORED : puller.cache().commitOffset();
    }

    CompletableFuture<Void> persist() {
        return offsets.persist(List.copyOf(pullers.keySet()));
    }

    /** Pulls no more; the queues are still owned, for the last commit. */
    void freeze() {
        starting.clear();
        pullers.values().forEach(QueuePuller::drop);
    }

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        List<MessageExt> messages = new ArrayList<>(slots.size());
        for (ProcessQueue.Slot slot : slots) {
            messages.add(slot.message());
        }
        fetched.add(new Fetched(from, from.generation(), slots, messages));
    }

    @Override
    public void moved(QueuePuller from, long newOffset) {
        offsets.update(from.queue(), newOffset);
        fetched.removeIf(Fetched::isVoid);
    }

    @Override
    public void unknownToBroker(QueuePuller from) {
        instance.heartbeats().beatSoon();
    }
}
