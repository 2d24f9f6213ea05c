package dev.perigee.client.instance;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The pulls that wait at brokers of which there are several of one name. A broker that stands still, or is cut off, says no more of them than
 * one that has nothing new. So one that has answered no pull for {@link #SILENT_MS} is asked a small question; who does not answer that has
 * the route looked at ({@link BrokerCalls}), and once another one is the master the pulls are given up, to go there. Otherwise each would
 * wait until its own time is over. There are no more of them than queues.
 */
@ThreadSafe
public final class HeldPulls {
    /** A broker is asked whether it is there when it has answered nothing for so long; it holds pulls for longer. */
    static final long SILENT_MS = 3_000;

    /** How long the answer is waited for. */
    static final long ANSWER_MS = 2_000;

    /** Between two looks; none is taken while nothing waits. */
    static final long LOOK_MS = 1_000;

    /** A pull on its way. */
    private record Held(MessageQueue queue, String address, Deadline deadline, CompletableFuture<?> result) {}

    private final ClientInstance instance;
    private final AtomicLong begun = new AtomicLong();
    /** In the order in which they began. */
    private final ConcurrentNavigableMap<Long, Held> held = new ConcurrentSkipListMap<>();
    /** By the address of a broker that holds pulls, when it answered last. */
    private final ConcurrentMap<String, Long> answeredMs = new ConcurrentHashMap<>();
    /** Who is being asked. */
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    /** Who did not answer what it was asked last. */
    private final Set<String> silent = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean looks = new AtomicBoolean();

    public HeldPulls(ClientInstance instance) {
        this.instance = instance;
    }

    /**
     * A pull begins; any thread.
     *
     * @param result failed with a {@link DeadlineExceededException}, on the client loop, when it is given up
     * @return what to call once when its call has ended, with whether it was answered; any thread
     */
    public End begin(MessageQueue queue, String address, Deadline deadline, CompletableFuture<?> result) {
        if (instance.routes().members(queue.brokerName()).size() < 2) {
            return isAnswered -> {};
        }
        Long number = begun.getAndIncrement();
        held.put(number, new Held(queue, address, deadline, result));
        lookLater();
        return isAnswered -> {
            held.remove(number);
            if (isAnswered) {
                answered(address);
            }
        };
    }

    /** Called once, on any thread, when the call of a pull has ended. */
    public interface End {
        void ended(boolean isAnswered);
    }

    private void answered(String address) {
        silent.remove(address);
        answeredMs.put(address, instance.clock().monotonicMs());
    }

    private void lookLater() {
        if (!looks.get() && looks.compareAndSet(false, true)) {
            instance.loop().after(LOOK_MS, this::look);
        }
    }

    private void look() {
        looks.set(false);
        Map<String, Held> oldest = new TreeMap<>();
        held.values().forEach(each -> oldest.putIfAbsent(each.address, each));
        answeredMs.keySet().retainAll(oldest.keySet());
        silent.retainAll(oldest.keySet());
        oldest.forEach((address, first) -> {
            long silentMs = Math.min(first.deadline.elapsedMs(), sinceAnsweredMs(address));
            if (silentMs < SILENT_MS) {
                return;
            }
            if (silent.contains(address) && isReplaced(first)) {
                giveUp(address, silentMs);
            } else {
                ask(first);
            }
        });
        if (!held.isEmpty()) {
            lookLater();
        }
    }

    private long sinceAnsweredMs(String address) {
        Long lastMs = answeredMs.get(address);
        return lastMs == null ? Long.MAX_VALUE : instance.clock().monotonicMs() - lastMs;
    }

    private boolean isReplaced(Held pull) {
        Optional<String> master = instance.routes().masterAddress(pull.queue.brokerName());
        return master.isPresent() && !master.get().equals(pull.address);
    }

    /** Any answer will do, a refusal as well. */
    private void ask(Held pull) {
        if (!asked.add(pull.address)) {
            return;
        }
        MessageQueue queue = pull.queue;
        MaxOffsetHeader header = new MaxOffsetHeader(queue.topic(), queue.queueId(), true);
        Completion.on(
                instance.calls()
                        .ask(BrokerCalls.Question.of(pull.address, Rpcs.GET_MAX_OFFSET, header, queue.topic())
                                .until(Deadline.after(instance.clock(), ANSWER_MS))),
                (answer, failure) -> {
                    if (failure == null) {
                        answered(pull.address);
                    } else {
                        silent.add(pull.address);
                    }
                    asked.remove(pull.address);
                });
    }

    private void giveUp(String address, long silentMs) {
        held.forEach((number, pull) -> {
            if (pull.address.equals(address) && held.remove(number) != null) {
                pull.result.completeExceptionally(new DeadlineExceededException(
                        address + " has answered nothing for " + silentMs + " ms, and is not the master any more",
                        new FailureSite(address, pull.queue.topic(), 1, pull.deadline.remainingMs())));
            }
        });
    }
}
