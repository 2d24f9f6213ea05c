package dev.perigee.broker.lock;

import dev.perigee.broker.check.Bodies;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42). */
@ThreadSafe
public final class QueueLockHandlers {
    private final QueueLocks locks;
    private final Clock clock;

    public QueueLockHandlers(QueueLocks locks, Clock clock) {
        this.locks = locks;
        this.clock = clock;
    }

    /** Locks what can be locked and answers with what the client now holds. */
    public void lock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = read(request, reply);
        if (wanted == null) {
            return;
        }
        Set<MessageQueue> held =
                locks.lock(wanted.consumerGroup(), wanted.clientId(), wanted.mqSet(), clock.monotonicMs());
        reply.ok(NoHeader.NONE, Bodies.json(new QueueLockResult(held)));
    }

    /** Gives up the client's own locks. */
    public void unlock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = read(request, reply);
        if (wanted == null) {
            return;
        }
        locks.unlock(wanted.consumerGroup(), wanted.clientId(), wanted.mqSet());
        reply.ok(NoHeader.NONE);
    }

    /** The body with everything a lock needs; null when the request is already answered. */
    private static @Nullable QueueLockRequest read(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = Bodies.read(request, reply, QueueLockRequest.class);
        String missing = wanted == null ? null : missingIn(wanted);
        if (missing != null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "the body has no " + missing);
            return null;
        }
        return wanted;
    }

    private static @Nullable String missingIn(QueueLockRequest wanted) {
        if (Bodies.isBlank(wanted.consumerGroup())) {
            return "consumerGroup";
        }
        if (Bodies.isBlank(wanted.clientId())) {
            return "clientId";
        }
        for (MessageQueue queue : wanted.mqSet()) {
            if (queue == null || Bodies.isBlank(queue.topic())) {
                return "topic of a queue in mqSet";
            }
            if (Bodies.isBlank(queue.brokerName())) {
                return "brokerName of a queue in mqSet";
            }
        }
        return null;
    }
}
