package dev.perigee.client.fake;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Queue locks that last until they are given back, or a minute after they were last asked for. Every method locks. */
public final class FakeLocks {
    private static final long LIFE_MS = 60_000;

    private record Held(String clientId, long sinceMs) {}

    private final Clock clock;
    private final Map<String, Held> locks = new HashMap<>();
    private final List<QueueLockRequest> asked = new ArrayList<>();
    private boolean isSilent;

    FakeLocks(Clock clock) {
        this.clock = clock;
    }

    /** Who holds the lock now. */
    public synchronized @Nullable String holder(String group, MessageQueue queue) {
        Held held = locks.get(group + queue);
        return held == null || clock.monotonicMs() - held.sinceMs >= LIFE_MS ? null : held.clientId;
    }

    /** Every request for locks so far. */
    public synchronized List<QueueLockRequest> asked() {
        return List.copyOf(asked);
    }

    /** From now on, or no longer, requests for locks get no answer. */
    public synchronized void staySilent(boolean silent) {
        isSilent = silent;
    }

    /** How many locks are held now. */
    public synchronized long count() {
        return locks.values().stream()
                .filter(held -> clock.monotonicMs() - held.sinceMs < LIFE_MS)
                .count();
    }

    /** Gives the lock to somebody, whoever has it. */
    public synchronized void give(String group, MessageQueue queue, String clientId) {
        locks.put(group + queue, new Held(clientId, clock.monotonicMs()));
    }

    synchronized void lock(Request<NoHeader> request, Reply<NoHeader> reply) {
        try {
            QueueLockRequest wanted = Json.read(request.copyBody(), QueueLockRequest.class);
            asked.add(wanted);
            if (isSilent) {
                return;
            }
            Set<MessageQueue> granted = new HashSet<>();
            for (MessageQueue queue : wanted.mqSet()) {
                String holder = holder(wanted.consumerGroup(), queue);
                if (holder == null || holder.equals(wanted.clientId())) {
                    give(wanted.consumerGroup(), queue, wanted.clientId());
                    granted.add(queue);
                }
            }
            reply.ok(NoHeader.NONE, Payload.of(Json.write(new QueueLockResult(granted))));
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    synchronized void unlock(Request<NoHeader> request, Reply<NoHeader> reply) {
        try {
            QueueLockRequest given = Json.read(request.copyBody(), QueueLockRequest.class);
            for (MessageQueue queue : given.mqSet()) {
                if (given.clientId().equals(holder(given.consumerGroup(), queue))) {
                    locks.remove(given.consumerGroup() + queue);
                }
            }
            reply.ok(NoHeader.NONE);
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }
}
