package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Feeds an orderly listener: one call at a time for a queue, only while its lock is held. A failure holds the queue back
 * and gives the same messages again; after the last retry they go back to the broker, and if it does not take them they
 * are tried on.
 */
@OwnedBy("client loop")
final class OrderlyWork implements PushWork {
    /** What a queue is doing. */
    private static final class Turn {
        private boolean running;
        private boolean heldBack;
        private @Nullable Runnable release;
    }

    private final PushAssignments owner;
    private final PushConfig config;
    private final ListenerRun listener;
    private final FailedMessages failed;
    private final QueueLocks locks;
    private final Executor threads;
    private final ClientLoop loop;
    private final Map<QueuePuller, Turn> turns = new HashMap<>();

    OrderlyWork(
            PushAssignments owner,
            PushConfig config,
            ListenerRun listener,
            FailedMessages failed,
            QueueLocks locks,
            Executor threads,
            ClientLoop loop) {
        this.owner = owner;
        this.config = config;
        this.listener = listener;
        this.failed = failed;
        this.locks = locks;
        this.threads = threads;
        this.loop = loop;
    }

    /** Renews all locks; called every {@link QueueLocks#RENEW_MS}. A queue whose lock is gone is taken up anew. */
    void renewLocks() {
        List<MessageQueue> queues =
                owner.pullers().stream().map(QueuePuller::queue).toList();
        Completion.on(
                locks.lock(queues),
                (held, never) -> loop.execute(() -> {
                    for (MessageQueue queue : queues) {
                        owner.puller(queue).ifPresent(puller -> {
                            if (locks.isHeld(queue)) {
                                next(puller);
                            } else {
                                owner.restart(queue, "lock lost");
                            }
                        });
                    }
                }));
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues) {
        return locks.lock(queues);
    }

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        next(from);
    }

    private void next(QueuePuller from) {
        Turn turn = turns.computeIfAbsent(from, ignored -> new Turn());
        if (turn.running || turn.heldBack || from.isDropped() || !locks.isHeld(from.queue())) {
            return;
        }
        List<ProcessQueue.Slot> slots = from.cache().oldest(config.batchSize());
        if (slots.isEmpty()) {
            return;
        }
        turn.running = true;
        List<MessageExt> messages = ListenerRun.messagesOf(slots);
        threads.execute(() -> {
            if (from.isDropped()) {
                loop.execute(() -> ended(from, turn, List.of(), ConsumeResult.LATER));
            } else {
                listener.run(messages, result -> loop.execute(() -> ended(from, turn, slots, result)));
            }
        });
    }

    private void ended(QueuePuller from, Turn turn, List<ProcessQueue.Slot> slots, ConsumeResult result) {
        turn.running = false;
        if (result == ConsumeResult.SUCCESS) {
            from.finish(slots);
        }
        Runnable release = turn.release;
        if (release != null) {
            turns.remove(from);
            release.run();
            Completion.unawaited(locks.unlock(List.of(from.queue())));
        } else if (owner.owns(from)) {
            if (result == ConsumeResult.SUCCESS) {
                owner.advance(from);
                next(from);
            } else {
                holdBack(from, turn, slots);
            }
        }
    }

    private void holdBack(QueuePuller from, Turn turn, List<ProcessQueue.Slot> slots) {
        turn.heldBack = true;
        for (ProcessQueue.Slot slot : slots) {
            if (!slot.isFinished()) {
                setAsideOrCount(from, slot);
            }
        }
        loop.after(config.suspendMs(), () -> {
            turn.heldBack = false;
            if (owner.owns(from)) {
                next(from);
            }
        });
    }

    private void setAsideOrCount(QueuePuller from, ProcessQueue.Slot slot) {
        boolean isLast =
                config.maxReconsumeTimes() >= 0 && slot.message().reconsumeTimes() >= config.maxReconsumeTimes();
        slot.countRetry();
        if (!isLast) {
            return;
        }
        Completion.on(
                failed.sendBack(slot.message()),
                (taken, never) -> loop.execute(() -> {
                    if (taken && owner.owns(from)) {
                        from.finish(List.of(slot));
                        owner.advance(from);
                        next(from);
                    }
                }));
    }

    @Override
    public void moved(QueuePuller from) {
        Turn turn = turns.get(from);
        if (turn != null) {
            turn.heldBack = false;
        }
    }

    @Override
    public void dropped(QueuePuller queue, Runnable release) {
        Turn turn = turns.get(queue);
        if (turn != null && turn.running) {
            turn.release = release; // the next owner waits for the lock until this call has ended
            return;
        }
        turns.remove(queue);
        release.run();
        Completion.unawaited(locks.unlock(List.of(queue.queue())));
    }

    @Override
    public ConsumeResult consumeNow(MessageExt message) throws Exception {
        ConsumeResult result = listener.consume(List.of(message));
        return result == null ? ConsumeResult.LATER : result;
    }

    @Override
    public boolean isOrderly() {
        return true;
    }

    @Override
    public long lockedAtMs(MessageQueue queue) {
        return locks.lockedAtMs(queue);
    }

    @Override
    public CompletableFuture<Void> leave() {
        return locks.unlock(locks.known());
    }
}
