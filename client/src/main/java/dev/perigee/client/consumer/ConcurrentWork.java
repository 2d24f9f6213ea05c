package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a concurrent listener. A failed message goes back to the broker; if the broker does not take it, it stays here and
 * is tried again after a pause, so it is never lost. Broadcasting consumers drop failed messages, as documented.
 */
@OwnedBy("client loop")
final class ConcurrentWork implements PushWork {
    /** The pause before a message the broker did not take back is tried again. */
    static final long LOCAL_RETRY_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(ConcurrentWork.class);

    private final PushAssignments owner;
    private final PushConfig config;
    private final ListenerRun listener;
    private final FailedMessages failed;
    private final Executor threads;
    private final ClientLoop loop;

    ConcurrentWork(
            PushAssignments owner,
            PushConfig config,
            ListenerRun listener,
            FailedMessages failed,
            Executor threads,
            ClientLoop loop) {
        this.owner = owner;
        this.config = config;
        this.listener = listener;
        this.failed = failed;
        this.threads = threads;
        this.loop = loop;
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues) {
        return CompletableFuture.completedFuture(queues);
    }

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        for (int i = 0; i < slots.size(); i += config.batchSize()) {
            submit(from, slots.subList(i, Math.min(slots.size(), i + config.batchSize())));
        }
    }

    private void submit(QueuePuller from, List<ProcessQueue.Slot> slots) {
        List<MessageExt> messages = ListenerRun.messagesOf(slots);
        threads.execute(() -> {
            if (from.isDropped()) {
                return; // somebody else consumes this queue now, from the position committed for it
            }
            listener.run(messages, result -> loop.execute(() -> ended(from, slots, result)));
        });
    }

    private void ended(QueuePuller from, List<ProcessQueue.Slot> slots, ConsumeResult result) {
        if (!owner.owns(from)) {
            return;
        }
        if (result == ConsumeResult.SUCCESS) {
            finish(from, slots);
        } else if (config.model() == MessageModel.BROADCASTING) {
            LOG.warn("event=broadcast_message_dropped queue={} messages={}", from.queue(), slots.size());
            finish(from, slots);
        } else {
            slots.forEach(slot -> giveBack(from, slot));
        }
    }

    private void finish(QueuePuller from, List<ProcessQueue.Slot> slots) {
        from.finish(slots);
        owner.advance(from);
    }

    private void giveBack(QueuePuller from, ProcessQueue.Slot slot) {
        if (slot.isFinished()) {
            return;
        }
        Completion.on(
                failed.sendBack(slot.message()),
                (taken, never) -> loop.execute(() -> {
                    if (!owner.owns(from) || slot.isFinished()) {
                        return;
                    }
                    if (taken) {
                        finish(from, List.of(slot));
                    } else {
                        loop.after(LOCAL_RETRY_MS, () -> tryAgain(from, slot));
                    }
                }));
    }

    private void tryAgain(QueuePuller from, ProcessQueue.Slot slot) {
        if (owner.owns(from) && !from.isDropped() && !slot.isFinished()) {
            slot.countRetry();
            submit(from, List.of(slot));
        }
    }

    @Override
    public void moved(QueuePuller from) {}

    @Override
    public void dropped(QueuePuller queue, Runnable release) {
        release.run();
    }

    @Override
    public ConsumeResult consumeNow(MessageExt message) throws Exception {
        ConsumeResult result = listener.consume(List.of(message));
        return result == null ? ConsumeResult.LATER : result;
    }

    @Override
    public boolean isOrderly() {
        return false;
    }

    @Override
    public long lockedAtMs(MessageQueue queue) {
        return 0;
    }

    @Override
    public CompletableFuture<Void> leave() {
        return CompletableFuture.completedFuture(null);
    }
}
