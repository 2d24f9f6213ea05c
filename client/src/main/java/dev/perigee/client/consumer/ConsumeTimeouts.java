package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.listener.ConsumeCounters;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.work.ClientLoop;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives messages back whose listener call takes too long, so that the queue moves on (client-behaviour §3.1). The call is
 * not ended; what it says later is void. A broadcasting consumer has nobody to give them to: it is only said.
 */
@OwnedBy("client loop")
final class ConsumeTimeouts {
    /** Messages of one queue given back in one round; the others follow in the next. */
    static final int MAX_PER_QUEUE = 16;
    /** Delay level of messages given back: they come again after ten seconds. */
    static final int DELAY_LEVEL = 3;

    private static final long MIN_PERIOD_MS = 1_000;
    private static final long MAX_PERIOD_MS = 60_000;
    /** Time between two rounds, as a part of the timeout. */
    private static final int ROUNDS_PER_TIMEOUT = 15;
    /** Time between two lines about calls of one queue that take too long. */
    private static final long SAY_MS = 60_000;

    private static final Logger LOG = LoggerFactory.getLogger(ConsumeTimeouts.class);

    /** Makes one listener call after another. */
    interface Caller {
        /** The latest call, which may have ended; null for none. Any thread. */
        @Nullable
        RunningBatch current();
    }

    /** What finding and returning them needs. */
    record Parts(
            PushAssignments owner,
            FailedMessages failed,
            ConsumeCounters counters,
            MessageModel model,
            long timeoutMs,
            ClientLoop loop,
            Clock clock) {}

    private final Parts parts;
    /** Added and removed by listener threads; there are as many as there are threads. */
    private final Set<Caller> callers = ConcurrentHashMap.newKeySet();

    private final Set<RunningBatch> overdue = new LinkedHashSet<>();
    private final Map<MessageQueue, Long> saidMs = new HashMap<>();

    ConsumeTimeouts(Parts parts) {
        this.parts = parts;
    }

    /** Time between two looks. */
    long periodMs() {
        return Math.max(MIN_PERIOD_MS, Math.min(MAX_PERIOD_MS, parts.timeoutMs / ROUNDS_PER_TIMEOUT));
    }

    /** Looks at its calls from now on. Any thread. */
    void watch(Caller caller) {
        callers.add(caller);
    }

    /** It makes no more calls. Any thread. */
    void unwatch(Caller caller) {
        callers.remove(caller);
    }

    /** Looks for calls that take too long; called every {@link #periodMs}, when all calls that have ended are known. */
    void look() {
        long nowMs = parts.clock.monotonicMs();
        for (Caller caller : callers) {
            RunningBatch batch = caller.current();
            if (batch != null && isOverdue(batch, nowMs)) {
                say(batch, nowMs);
                if (parts.model != MessageModel.BROADCASTING) {
                    overdue.add(batch);
                    batch.makeVoid();
                }
            }
        }
        saidMs.values().removeIf(ms -> nowMs - ms >= SAY_MS);
        Map<MessageQueue, Integer> given = new HashMap<>();
        Iterator<RunningBatch> batches = overdue.iterator();
        while (batches.hasNext()) {
            RunningBatch batch = batches.next();
            if (!parts.owner.owns(batch.from()) || batch.isSettled()) {
                batches.remove();
            } else {
                giveBack(batch, given);
            }
        }
    }

    private boolean isOverdue(RunningBatch batch, long nowMs) {
        return !batch.isEnded() && batch.runningMs(nowMs) >= parts.timeoutMs && parts.owner.owns(batch.from());
    }

    private void say(RunningBatch batch, long nowMs) {
        MessageQueue queue = batch.from().queue();
        if (saidMs.putIfAbsent(queue, nowMs) == null) {
            LOG.warn(
                    "event=listener_call_takes_too_long queue={} runningMs={} limitMs={} messages={}",
                    queue,
                    batch.runningMs(nowMs),
                    parts.timeoutMs,
                    batch.size());
        }
    }

    private void giveBack(RunningBatch batch, Map<MessageQueue, Integer> given) {
        for (ProcessQueue.Slot slot : batch.remaining()) {
            if (given.merge(batch.from().queue(), 1, Integer::sum) > MAX_PER_QUEUE) {
                return;
            }
            batch.returning(slot);
            MessageExt message = slot.message();
            Completion.on(
                    parts.failed.sendBack(message, DELAY_LEVEL),
                    (taken, never) -> parts.loop.execute(() -> returned(batch, slot, message, taken)));
        }
    }

    private void returned(RunningBatch batch, ProcessQueue.Slot slot, MessageExt message, boolean taken) {
        batch.returned(slot);
        if (taken) {
            parts.counters.of(message.topic()).timedOut.increment();
            if (parts.owner.owns(batch.from())) {
                batch.from().finish(List.of(slot));
                parts.owner.advance(batch.from());
            }
        }
    }
}
