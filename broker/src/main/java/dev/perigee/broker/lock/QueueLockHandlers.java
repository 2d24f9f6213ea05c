package dev.perigee.broker.lock;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.client.QueueLockResult;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42). */
@ThreadSafe
public final class QueueLockHandlers {
    /** Most queues of one request; more refuse it. */
    static final int MAX_QUEUES = 1 << 16;

    /** Longest clientId; a longer one refuses the request. */
    static final int MAX_CLIENT_ID_LENGTH = 1_024;

    private static final Logger LOG = LoggerFactory.getLogger(QueueLockHandlers.class);
    /** That there are too many locks is logged no more often. */
    private static final long QUIET_MS = 60_000;

    /** Who is told what becomes of locks. Any thread. */
    public interface Watcher {
        /** A lock that others of the group want was given up. */
        void freed(String group);

        /** In a group a lock is wanted now, and none was before. */
        void wanted();
    }

    private final QueueLocks locks;
    private final TopicView topics;
    private final Watcher watcher;
    private final Clock clock;
    private final AtomicLong quietUntilMs = new AtomicLong(Long.MIN_VALUE);

    public QueueLockHandlers(QueueLocks locks, TopicView topics, Watcher watcher, Clock clock) {
        this.locks = locks;
        this.topics = topics;
        this.watcher = watcher;
        this.clock = clock;
    }

    /**
     * Locks what can be locked and answers with what the client now holds. A queue that this broker has not is not locked,
     * as if somebody else held it; so is one that may be held since before this broker's start. When it holds none of them, and some only because
     * there are {@link QueueLocks#MAX_LOCKS} already, the answer is busy.
     */
    public void lock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = read(request, reply);
        if (wanted == null) {
            return;
        }
        long nowMs = clock.monotonicMs();
        List<MessageQueue> queues =
                wanted.mqSet().stream().filter(this::isThere).toList();
        QueueLocks.Granted granted =
                locks.lock(wanted.consumerGroup(), wanted.clientId(), queues, wanted.heldMqSet(), nowMs);
        if (granted.isFirstWish()) {
            watcher.wanted();
        }
        if (granted.beyondLimit() > 0) {
            logFull(wanted, granted, nowMs);
        }
        if (granted.inherited() > 0) {
            LOG.debug(
                    "event=queue_locks_inherited group={} client={} refused={}",
                    wanted.consumerGroup(),
                    wanted.clientId(),
                    granted.inherited());
        }
        if (granted.beyondLimit() > 0 && granted.held().isEmpty()) {
            reply.fail(
                    ResponseCode.SYSTEM_BUSY,
                    "[OVERLOAD]" + granted.beyondLimit() + " queues in mqSet cannot be locked: the limit of "
                            + locks.limit() + " locks on this broker is reached, try again");
        } else {
            reply.ok(NoHeader.NONE, Bodies.json(new QueueLockResult(granted.held())));
        }
    }

    private boolean isThere(MessageQueue queue) {
        TopicConfig topic = topics.current().find(queue.topic());
        return topic != null && queue.queueId() >= 0 && queue.queueId() < topic.readQueueNums();
    }

    private void logFull(QueueLockRequest wanted, QueueLocks.Granted granted, long nowMs) {
        long quiet = quietUntilMs.get();
        if (nowMs >= quiet && quietUntilMs.compareAndSet(quiet, nowMs + QUIET_MS)) {
            LOG.warn(
                    "event=queue_locks_full limit={} group={} refused={} granted={}",
                    locks.limit(),
                    wanted.consumerGroup(),
                    granted.beyondLimit(),
                    granted.held().size());
        }
    }

    /** Gives up the client's own locks; the group is told when others of it want one of them. */
    public void unlock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = read(request, reply);
        if (wanted == null) {
            return;
        }
        boolean wasWanted = locks.unlock(
                wanted.consumerGroup(), wanted.clientId(), wanted.mqSet(), wanted.heldMqSet(), clock.monotonicMs());
        reply.ok(NoHeader.NONE);
        if (wasWanted) {
            watcher.freed(wanted.consumerGroup());
        }
    }

    /** The body with everything a lock needs, within limits; null when the request is already answered. */
    private static @Nullable QueueLockRequest read(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = Bodies.read(request, reply, QueueLockRequest.class);
        String fault = wanted == null ? null : faultOf(wanted);
        if (fault != null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "the body has " + fault);
            return null;
        }
        return wanted;
    }

    private static @Nullable String faultOf(QueueLockRequest wanted) {
        if (wanted.mqSet().size() > MAX_QUEUES) {
            return wanted.mqSet().size() + " queues in mqSet, limit " + MAX_QUEUES;
        }
        Set<MessageQueue> held = wanted.heldMqSet();
        if (held != null && held.size() > MAX_QUEUES) {
            return held.size() + " queues in heldMqSet, limit " + MAX_QUEUES;
        }
        String group = faultOf("consumerGroup", wanted.consumerGroup(), TopicName.MAX_DERIVED_LENGTH);
        if (group != null) {
            return group;
        }
        String client = faultOf("clientId", wanted.clientId(), MAX_CLIENT_ID_LENGTH);
        if (client != null) {
            return client;
        }
        for (MessageQueue queue : wanted.mqSet()) {
            String fault = queue == null ? "no topic of a queue in mqSet" : faultOf(queue);
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    private static @Nullable String faultOf(MessageQueue queue) {
        String topic = faultOf("topic of a queue in mqSet", queue.topic(), TopicName.MAX_DERIVED_LENGTH);
        return topic != null
                ? topic
                : faultOf("brokerName of a queue in mqSet", queue.brokerName(), TopicName.MAX_DERIVED_LENGTH);
    }

    private static @Nullable String faultOf(String field, @Nullable String text, int maxLength) {
        if (text == null || text.isBlank()) {
            return "no " + field;
        }
        return text.length() <= maxLength
                ? null
                : "a " + field + " of " + text.length() + " characters, limit " + maxLength;
    }
}
