package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.listener.Outcome;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds an orderly listener: one call at a time for a queue, only while its lock is held. A failure holds the queue back
 * and gives the same messages again; after the last retry they go to the dead letters, and if the broker does not take
 * them they are tried on. A queue that waits takes no thread. There are as many turns as queues owned or being left.
 */
@OwnedBy("client loop")
final class OrderlyWork implements PushWork {
    /** How long the lock of a queue that is left waits for the answer to its last commit. */
    static final long LAST_COMMIT_MS = 1_000;
    /** Time to the next renewal after one that a broker did not answer. */
    static final long RENEW_AGAIN_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(OrderlyWork.class);

    /** Says after how many retries the messages of a broker are set aside; empty for not now. */
    interface RetryLimit {
        OptionalInt of(String brokerName);
    }

    /** What the feeding of this consumer's listener needs. */
    record Parts(
            PushAssignments owner,
            int batchSize,
            ListenerRun listener,
            FailedMessages failed,
            RetryLimit limit,
            QueueLocks locks,
            Executor threads,
            ClientLoop loop) {}

    /** One listener call. */
    private record Call(QueuePuller from, OrderlyTurn turn, List<ProcessQueue.Slot> slots, int generation) {}

    private final PushAssignments owner;
    private final Parts parts;
    private final QueueLocks locks;
    private final ClientLoop loop;
    private final Map<MessageQueue, OrderlyTurn> turns = new HashMap<>();
    private boolean isRenewedSoon;

    OrderlyWork(Parts parts) {
        this.parts = parts;
        this.owner = parts.owner;
        this.locks = parts.locks;
        this.loop = parts.loop;
    }

    /**
     * Renews the locks of the queues owned and of those lost while a call for them goes on; called every {@link
     * QueueLocks#RENEW_MS}, and sooner while a broker does not answer. A queue whose lock is gone is taken up anew.
     */
    void renewLocks() {
        Set<MessageQueue> queues = new HashSet<>();
        owner.pullers().forEach(puller -> queues.add(puller.queue()));
        turns.forEach((queue, turn) -> {
            if (turn.state() == OrderlyTurn.State.LEAVING) {
                queues.remove(queue);
            } else {
                queues.add(queue);
            }
        });
        Completion.on(
                locks.lock(queues),
                (confirmed, never) -> loop.execute(() -> {
                    queues.forEach(this::renewed);
                    if (queues.stream().anyMatch(queue -> locks.isHeld(queue) && !confirmed.contains(queue))) {
                        renewSoon();
                    }
                }));
    }

    /** A broker has not answered: it may have started anew, and keeps the lock for its holder only for a while. */
    private void renewSoon() {
        if (!isRenewedSoon) {
            isRenewedSoon = true;
            loop.after(RENEW_AGAIN_MS, () -> {
                isRenewedSoon = false;
                renewLocks();
            });
        }
    }

    private void renewed(MessageQueue queue) {
        var puller = owner.puller(queue);
        if (locks.isHeld(queue)) {
            puller.ifPresent(this::next);
            return;
        }
        OrderlyTurn turn = puller.isPresent() ? turns.computeIfAbsent(queue, OrderlyTurn::new) : turns.get(queue);
        if (turn != null) {
            turn.lockLost();
        }
        if (puller.isPresent()) {
            owner.restart(queue, "lock lost");
        }
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> admit(Set<MessageQueue> queues) {
        Set<MessageQueue> free = new HashSet<>(queues);
        free.removeAll(turns.keySet()); // not owned, but not left either: its call may still run
        return free.isEmpty() ? CompletableFuture.completedFuture(Set.of()) : locks.lock(free);
    }

    @Override
    public void abandoned(MessageQueue queue) {
        if (!turns.containsKey(queue)) {
            OrderlyTurn turn = new OrderlyTurn(queue);
            turns.put(queue, turn);
            leave(turn);
        }
    }

    @Override
    public void arrived(QueuePuller from, List<ProcessQueue.Slot> slots) {
        next(from);
    }

    private void next(QueuePuller from) {
        if (!owner.owns(from) || from.isDropped() || !locks.isHeld(from.queue())) {
            return;
        }
        OrderlyTurn turn = turns.computeIfAbsent(from.queue(), OrderlyTurn::new);
        if (turn.state() != OrderlyTurn.State.IDLE) {
            return;
        }
        List<ProcessQueue.Slot> slots = from.cache().oldest(parts.batchSize);
        if (slots.isEmpty()) {
            return;
        }
        turn.run();
        Call call = new Call(from, turn, slots, from.generation());
        List<MessageExt> messages = slots.stream()
                .map(slot -> ListenerRun.withOriginalTopic(slot.message()))
                .toList();
        try {
            parts.threads.execute(() -> run(call, messages));
        } catch (RuntimeException | Error e) { // the user's executor may throw anything; the queue must go on
            LOG.warn("event=listener_executor_refused queue={} reason=\"{}\"", from.queue(), e.toString());
            if (turn.state() == OrderlyTurn.State.RUNNING) {
                holdBack(call, ConcurrentCalls.LOCAL_RETRY_MS);
            }
        }
    }

    /** On a listener thread. */
    private void run(Call call, List<MessageExt> messages) {
        MessageQueue queue = call.from.queue();
        parts.listener.calls().begun();
        call.turn.begin(); // before it is asked whether the queue was given up
        try {
            boolean mayRun = !call.from.isDropped() && call.from.generation() == call.generation && locks.isHeld(queue);
            if (mayRun) {
                parts.listener.run(queue, messages, outcome -> loop.execute(() -> ended(call, outcome)));
            } else {
                loop.execute(() -> notRun(call));
            }
        } finally {
            parts.listener.calls().ended();
        }
    }

    private void notRun(Call call) {
        if (call.turn.isOver()) {
            leave(call.turn);
        } else {
            call.turn.free("not run");
            next(call.from);
        }
    }

    private void ended(Call call, Outcome outcome) {
        if (outcome.isSuccess()) {
            call.from.finish(call.slots);
        }
        if (call.turn.isOver()) {
            leave(call.turn); // the next owner has waited for the lock until this call ended
        } else if (outcome.isSuccess()) {
            owner.advance(call.from);
            call.turn.free("call succeeded");
            next(call.from);
        } else {
            failed(call, outcome.suspendMs());
        }
    }

    private void failed(Call call, long suspendMs) {
        OptionalInt limit = parts.limit.of(call.from.queue().brokerName());
        List<ProcessQueue.Slot> lastTried = new ArrayList<>();
        for (ProcessQueue.Slot slot : remaining(call)) {
            if (limit.isPresent() && slot.message().reconsumeTimes() >= limit.getAsInt()) {
                lastTried.add(slot);
            } else {
                slot.countRetry();
            }
        }
        if (lastTried.isEmpty()) {
            goOn(call, suspendMs);
            return;
        }
        call.turn.setAside();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (ProcessQueue.Slot slot : lastTried) {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            answers.add(answer);
            Completion.on(
                    parts.failed.setAside(slot.message(), limit.orElseThrow()),
                    (taken, never) -> loop.execute(() -> {
                        if (taken) {
                            call.from.finish(List.of(slot));
                        }
                        answer.complete(null);
                    }));
        }
        Completion.on(
                CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)),
                (ignored, never) -> setAside(call, suspendMs));
    }

    private void setAside(Call call, long suspendMs) {
        if (call.turn.isOver()) {
            leave(call.turn);
        } else {
            owner.advance(call.from);
            goOn(call, suspendMs);
        }
    }

    /** Holds the queue back when something of the call remains to be tried again. */
    private void goOn(Call call, long suspendMs) {
        if (remaining(call).isEmpty()) {
            call.turn.free("nothing left to try again");
            next(call.from);
        } else {
            holdBack(call, suspendMs);
        }
    }

    /** What is not finished of a call's messages; nothing when the queue's position was moved meanwhile. */
    private static List<ProcessQueue.Slot> remaining(Call call) {
        return call.slots.stream()
                .filter(slot -> !slot.isFinished() && call.from.holds(slot))
                .toList();
    }

    private void holdBack(Call call, long suspendMs) {
        call.turn.holdBack(loop.after(suspendMs, () -> {
            call.turn.free("held back long enough");
            next(call.from);
        }));
    }

    /** Every call that ends is taken note of at once. */
    @Override
    public void settle() {}

    @Override
    public void moved(QueuePuller from) {
        OrderlyTurn turn = turns.get(from.queue());
        if (turn != null && turn.state() == OrderlyTurn.State.HELD_BACK) {
            turn.free("position moved");
        }
    }

    @Override
    public void dropped(QueuePuller from, Release release) {
        OrderlyTurn turn = turns.computeIfAbsent(from.queue(), OrderlyTurn::new);
        turn.lose(release);
        if (!turn.isBusy()) {
            leave(turn);
        }
    }

    /** Commits, then gives the lock back, then forgets: a later commit would be refused, or undo the next owner's. */
    private void leave(OrderlyTurn turn) {
        turn.leave();
        Release unsaved = turn.toForget();
        if (unsaved != null) {
            unsaved.forget();
        }
        Release last = turn.toCommit();
        CompletableFuture<Void> committed = last == null ? CompletableFuture.completedFuture(null) : last.commit();
        CompletableFuture<Void> due = new CompletableFuture<>();
        Completion.on(committed, (ignored, never) -> due.complete(null));
        if (!due.isDone()) {
            loop.after(LAST_COMMIT_MS, () -> due.complete(null));
        }
        Completion.on(due, (ignored, never) -> loop.execute(() -> unlock(turn.queue())));
    }

    private void unlock(MessageQueue queue) {
        Completion.on(locks.unlock(List.of(queue)), (ignored, never) -> loop.execute(() -> turns.remove(queue)));
    }

    @Override
    public boolean isOrderly() {
        return true;
    }

    @Override
    public long lockedAtMs(MessageQueue queue) {
        return locks.lockedAtMs(queue);
    }

    /**
     * The locks of calls that could not be awaited are kept: they end by themselves, after their calls have most likely. Calls
     * that no thread has begun are not made any more, because all queues were dropped before.
     */
    @Override
    public CompletableFuture<Void> leave() {
        Set<MessageQueue> free = new HashSet<>(locks.known());
        turns.forEach((queue, turn) -> {
            if (turn.isUnderWay()) {
                free.remove(queue);
                LOG.warn("event=lock_kept_for_running_call queue={}", queue);
            }
        });
        return locks.unlock(free);
    }
}
