package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queue locks of one member at its brokers: one call a broker, renewed well before they expire. */
@OwnedBy("client loop")
final class BrokerQueueLocks implements QueueLocks {
    /** How long a lock counts after it was last confirmed; the broker keeps it twice as long. */
    static final long VALID_MS = 30_000;

    private static final Logger LOG = LoggerFactory.getLogger(BrokerQueueLocks.class);

    private final ClientInstance instance;
    private final String group;
    /** Read by listener threads too. */
    private final Map<MessageQueue, Long> confirmedMs = new ConcurrentHashMap<>();

    private final Map<MessageQueue, Long> confirmedWallMs = new HashMap<>();
    private final List<Asked> underWay = new ArrayList<>();

    /** A request for locks that is not answered by all brokers yet; compared by identity. */
    private static final class Asked {
        private final long atMs;
        private final Set<MessageQueue> held = new HashSet<>();
        /** What was given back since: the answer says nothing about it any more. */
        private final Set<MessageQueue> givenBack = new HashSet<>();

        Asked(long atMs) {
            this.atMs = atMs;
        }
    }

    BrokerQueueLocks(ClientInstance instance, String group) {
        this.instance = instance;
        this.group = group;
    }

    @Override
    public boolean isHeld(MessageQueue queue) {
        Long sinceMs = confirmedMs.get(queue);
        return sinceMs != null && instance.clock().monotonicMs() - sinceMs < VALID_MS;
    }

    @Override
    public long lockedAtMs(MessageQueue queue) {
        return confirmedWallMs.getOrDefault(queue, 0L);
    }

    @Override
    public Set<MessageQueue> known() {
        return InOrder.copyOf(confirmedMs.keySet());
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> lock(Collection<MessageQueue> queues) {
        Asked call = new Asked(instance.clock().monotonicMs());
        underWay.add(call);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        byBroker(queues).forEach((brokerName, asked) -> {
            Optional<String> address = instance.routes().masterAddress(brokerName);
            if (address.isEmpty()) {
                return;
            }
            CompletableFuture<Void> done = new CompletableFuture<>();
            calls.add(done);
            Completion.on(
                    instance.calls()
                            .demandBody(
                                    BrokerCalls.Question.of(address.get(), Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, "-")
                                            .withBody(body(asked)),
                                    QueueLockResult.class),
                    (result, failure) -> instance.loop().execute(() -> {
                        if (failure != null) {
                            LOG.warn("event=lock_failed broker={} reason=\"{}\"", brokerName, failure.getMessage());
                        } else {
                            note(asked, result.lockedQueues(), call);
                        }
                        done.complete(null);
                    }));
        });
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
                .thenApply(ignored -> {
                    underWay.remove(call);
                    return call.held;
                });
    }

    private void note(Set<MessageQueue> asked, Set<MessageQueue> locked, Asked call) {
        for (MessageQueue queue : asked) {
            if (call.givenBack.contains(queue)) {
                continue;
            }
            if (locked.contains(queue)) {
                confirmedMs.put(queue, call.atMs);
                confirmedWallMs.put(queue, instance.clock().wallMs());
                call.held.add(queue);
            } else {
                forget(queue);
            }
        }
    }

    @Override
    public CompletableFuture<Void> unlock(Collection<MessageQueue> queues) {
        List<CompletableFuture<?>> calls = new ArrayList<>();
        byBroker(queues)
                .forEach((brokerName, asked) -> instance.routes()
                        .masterAddress(brokerName)
                        .ifPresent(address -> calls.add(instance.calls()
                                .ask(BrokerCalls.Question.of(address, Rpcs.UNLOCK_BATCH_MQ, NoHeader.NONE, "-")
                                        .withBody(body(asked)))
                                .handle((answer, failure) -> null))));
        queues.forEach(this::forget);
        underWay.forEach(call -> call.givenBack.addAll(queues));
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new));
    }

    private void forget(MessageQueue queue) {
        confirmedMs.remove(queue);
        confirmedWallMs.remove(queue);
    }

    /** Says which of the queues are held: a broker that has just started takes the holder's word for it (ADR 0023). */
    private byte[] body(Set<MessageQueue> queues) {
        Set<MessageQueue> held = new LinkedHashSet<>(queues);
        held.removeIf(queue -> !isHeld(queue));
        return Json.write(new QueueLockRequest(group, instance.settings().clientId(), false, queues, held));
    }

    private static Map<String, Set<MessageQueue>> byBroker(Collection<MessageQueue> queues) {
        return queues.stream()
                .collect(Collectors.groupingBy(
                        MessageQueue::brokerName, TreeMap::new, Collectors.toCollection(LinkedHashSet::new)));
    }
}
