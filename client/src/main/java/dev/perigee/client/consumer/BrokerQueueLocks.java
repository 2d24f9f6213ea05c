package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
        return Set.copyOf(confirmedMs.keySet());
    }

    @Override
    public CompletableFuture<Set<MessageQueue>> lock(Collection<MessageQueue> queues) {
        long askedMs = instance.clock().monotonicMs();
        Set<MessageQueue> held = new HashSet<>();
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
                            note(asked, result.lockedQueues(), askedMs, held);
                        }
                        done.complete(null);
                    }));
        });
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
                .thenApply(ignored -> held);
    }

    private void note(Set<MessageQueue> asked, Set<MessageQueue> locked, long askedMs, Set<MessageQueue> held) {
        for (MessageQueue queue : asked) {
            if (locked.contains(queue)) {
                confirmedMs.put(queue, askedMs);
                confirmedWallMs.put(queue, instance.clock().wallMs());
                held.add(queue);
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
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new));
    }

    private void forget(MessageQueue queue) {
        confirmedMs.remove(queue);
        confirmedWallMs.remove(queue);
    }

    private byte[] body(Set<MessageQueue> queues) {
        return Json.write(new QueueLockRequest(group, instance.settings().clientId(), false, queues));
    }

    private static Map<String, Set<MessageQueue>> byBroker(Collection<MessageQueue> queues) {
        return queues.stream().collect(Collectors.groupingBy(MessageQueue::brokerName, Collectors.toSet()));
    }
}
