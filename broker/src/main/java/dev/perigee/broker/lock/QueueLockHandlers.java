package dev.perigee.broker.lock;

import dev.perigee.broker.check.Bodies;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.Set;

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
        QueueLockRequest wanted = Bodies.read(request, reply, QueueLockRequest.class);
        if (wanted == null) {
            return;
        }
        Set<MessageQueue> held =
                locks.lock(wanted.consumerGroup(), wanted.clientId(), wanted.mqSet(), clock.monotonicMs());
        reply.ok(NoHeader.NONE, Bodies.json(new QueueLockResult(held)));
    }

    /** Gives up the client's own locks. */
    public void unlock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = Bodies.read(request, reply, QueueLockRequest.class);
        if (wanted == null) {
            return;
        }
        locks.unlock(wanted.consumerGroup(), wanted.clientId(), wanted.mqSet());
        reply.ok(NoHeader.NONE);
    }
}
