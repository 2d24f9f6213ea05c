package dev.perigee.broker.lock;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.client.ForwardedClient;
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

    private static final String LATE =
            "not obeyed: by way of another member, and its client has said something else of its locks since";

    /** Who is told what becomes of locks, and knows who is there. Any thread. */
    public interface Watcher {
        /** A lock that others of the group want was given up. */
        void freed(String group);

        /** In a group a lock is wanted now, and none was before. */
        void wanted();

        /** Whether a client is connected as a member of the group. */
        boolean isThere(String group, String clientId);
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
     * there are {@link QueueLocks#MAX_LOCKS} already, the answer is busy. By way of another member of a group of brokers a client takes
     * nothing anew that has left, or has said something else of its locks since: it only renews what it has.
     */
    public void lock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = read(request, reply);
        if (wanted == null) {
            return;
        }
        LockWays.Word word = word(request, wanted, LockWays.Wish.TAKE);
        long nowMs = clock.monotonicMs();
        QueueLocks.Granted granted = locks.ways().say(word, nowMs, isLate -> {
            boolean isOver = isLate || isOfOneThatLeft(word, nowMs);
            List<MessageQueue> queues = wanted.mqSet().stream()
                    .filter(queue -> isThere(queue) && (!isOver || isHeldBy(wanted, queue, nowMs)))
                    .toList();
            return locks.lock(wanted.consumerGroup(), wanted.clientId(), queues, wanted.heldMqSet(), nowMs);
        });
        tell(wanted, granted, nowMs, reply);
    }

    private static LockWays.Word word(Request<NoHeader> request, QueueLockRequest wanted, LockWays.Wish wish) {
        return new LockWays.Word(wanted.consumerGroup(), wanted.clientId(), wish, request.askedBy());
    }

    private boolean isOfOneThatLeft(LockWays.Word word, long nowMs) {
        return word.from() instanceof ForwardedClient
                && locks.ways().hasLeft(word, nowMs)
                && !watcher.isThere(word.group(), word.clientId());
    }

    private boolean isHeldBy(QueueLockRequest wanted, MessageQueue queue, long nowMs) {
        String holder = locks.holder(wanted.consumerGroup(), queue.topic(), queue.brokerName(), queue.queueId(), nowMs);
        return wanted.clientId().equals(holder);
    }

    private void tell(QueueLockRequest wanted, QueueLocks.Granted granted, long nowMs, Reply<NoHeader> reply) {
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

    /**
     * Gives up the client's own locks; the group is told when others of it want one of them. One that comes by way of another member of a group
     * of brokers is answered 0 with a remark and not obeyed when its client has said something else of its locks since, for it may hold them again.
     */
    public void unlock(Request<NoHeader> request, Reply<NoHeader> reply) {
        QueueLockRequest wanted = read(request, reply);
        if (wanted == null) {
            return;
        }
        long nowMs = clock.monotonicMs();
        GivenUp outcome = locks.ways().say(word(request, wanted, LockWays.Wish.GIVE_UP), nowMs, isLate -> {
            if (isLate) {
                return GivenUp.NOT;
            }
            boolean wasWanted =
                    locks.unlock(wanted.consumerGroup(), wanted.clientId(), wanted.mqSet(), wanted.heldMqSet(), nowMs);
            return wasWanted ? GivenUp.WANTED : GivenUp.UNWANTED;
        });
        reply.send(ResponseCode.SUCCESS, outcome == GivenUp.NOT ? LATE : null, NoHeader.NONE, null);
        if (outcome == GivenUp.WANTED) {
            watcher.freed(wanted.consumerGroup());
        }
    }

    private enum GivenUp {
        NOT,
        UNWANTED,
        WANTED
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
