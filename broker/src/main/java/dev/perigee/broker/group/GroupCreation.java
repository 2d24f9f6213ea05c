package dev.perigee.broker.group;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.GroupDeleted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.protocol.topic.TopicSysFlag;
import dev.perigee.remoting.Reply;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.queue.ConsumeQueue;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, changes and ends consumer groups. A new group, its retry topic and the start positions of its members are one
 * fact, so a group is never half there.
 */
@ThreadSafe
public final class GroupCreation {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCreation.class);

    private final GroupView groups;
    private final TopicView topics;
    private final StartPositions positions;
    private final FactDesk desk;
    private final ReadGate gate;
    private final WaitingRequests waiting;
    private final LiveConfig config;

    public GroupCreation(
            GroupView groups,
            TopicView topics,
            StartPositions positions,
            FactDesk desk,
            ReadGate gate,
            WaitingRequests waiting,
            LiveConfig config) {
        this.groups = groups;
        this.topics = topics;
        this.positions = positions;
        this.desk = desk;
        this.gate = gate;
        this.waiting = waiting;
        this.config = config;
    }

    /**
     * Makes sure that a group exists, if groups may be created automatically.
     *
     * @param reply refused when the group cannot be created, or not in time
     * @param then run on the reply's event loop when the group exists and is visible; at once when it already does
     */
    public void ensure(String group, Reply<?> reply, Runnable then) {
        if (groups.current().find(group) != null) {
            then.run();
            return;
        }
        Refusal refusal = refuseNew(group);
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        WaitingReply<?> held = waiting.hold(reply, "consumer group [" + group + "] to be made");
        desk.submit(
                FactKeys.group(group),
                () -> groups.current().find(group) != null ? null : created(group, List.of()),
                result -> reply.resume(() -> {
                    if (!held.finish()) {
                        return;
                    }
                    if (result == AppendResult.APPENDED) {
                        then.run();
                    } else {
                        Appends.refusal(result).answer(reply);
                    }
                }));
    }

    /** How far a group is ready for a consumer. */
    public enum Readiness {
        /** Everything is there. */
        READY,
        /** {@link #prepare} has something to do. */
        LACKING,
        /** The group is not there and may not be created. */
        REFUSED
    }

    /** The end of everything confirmed now, for {@link #prepare}. */
    public long confirmedEnd() {
        return gate.confirmedEnd();
    }

    /** Whether the group, its retry topic and the start positions of this consumer are there. Cheap. */
    public Readiness readiness(ConsumerData consumer) {
        SubscriptionGroupConfig known = groups.current().find(consumer.groupName());
        if (known == null) {
            return refuseNew(consumer.groupName()) != null ? Readiness.REFUSED : Readiness.LACKING;
        }
        return retryTopic(known) == null && !positions.needsPins(consumer) ? Readiness.READY : Readiness.LACKING;
    }

    /**
     * Makes a group ready for a consumer: creates it and its retry topic, and pins where the consumer starts.
     *
     * @param arrivedEnd what {@link #confirmedEnd} was when the consumer was heard of; it starts there, however long this
     *     takes
     * @param reply answered when this fails, and as busy when too many requests wait for the views already
     * @param then run on the reply's event loop when the group is ready
     */
    public void prepare(ConsumerData consumer, long arrivedEnd, Reply<?> reply, Runnable then) {
        String group = consumer.groupName();
        Consumer<AppendResult> done = result -> reply.resume(() -> {
            if (result == AppendResult.APPENDED) {
                then.run();
                return;
            }
            LOG.warn("event=group_not_prepared group={} result={}", group, result);
            reply.fail(
                    Appends.code(result), "consumer group [" + group + "] was not prepared: " + Appends.remark(result));
        });
        gate.pass(
                arrivedEnd,
                reply,
                () -> positions.ends(
                        consumer,
                        arrivedEnd,
                        reply,
                        ends -> desk.submit(FactKeys.group(group), () -> prepared(consumer, ends), done)));
    }

    /**
     * Creates a group or changes it to this configuration. Where it wants more retry queues than before, its retry topic gets
     * them if it is there. It never loses any: they may hold messages, which are still read, and what comes back from then on
     * goes to the first ones alone.
     */
    void put(SubscriptionGroupConfig wanted, Consumer<AppendResult> done) {
        desk.submit(FactKeys.group(wanted.groupName()), () -> changed(wanted), done);
    }

    private @Nullable Fact changed(SubscriptionGroupConfig wanted) {
        SubscriptionGroupConfig known = groups.current().find(wanted.groupName());
        if (wanted.equals(known)) {
            return null;
        }
        boolean wantsMore = known == null || wanted.retryQueueNums() > known.retryQueueNums();
        return new GroupChanged(wanted, wantsMore ? widenedRetryTopic(wanted) : null, List.of());
    }

    /**
     * Makes the retry topic of a group unless it is there or the group has none. It is decided in turn with changes of the group,
     * so that it has as many queues as the group wants by then.
     *
     * @param sysFlag see {@link TopicSysFlag}
     * @param done APPENDED when there is nothing more to be made; on the view loop, or at once when refused
     */
    public void makeRetryTopic(String group, int sysFlag, Consumer<AppendResult> done) {
        desk.submit(FactKeys.group(group), () -> withRetryTopic(group, sysFlag), done);
    }

    private @Nullable Fact withRetryTopic(String group, int sysFlag) {
        SubscriptionGroupConfig known = groups.current().find(group);
        TopicConfig missing = known == null ? null : retryTopic(known);
        return known == null || missing == null
                ? null
                : new GroupChanged(known, missing.withSysFlag(sysFlag), List.of());
    }

    /** Null when there is no retry topic, or it has as many queues. */
    private @Nullable TopicConfig widenedRetryTopic(SubscriptionGroupConfig group) {
        TopicConfig there = topics.current().find(TopicName.retry(group.groupName()));
        int queues = group.retryQueueNums();
        return there == null || Math.min(there.readQueueNums(), there.writeQueueNums()) >= queues
                ? null
                : there.withQueues(Math.max(there.readQueueNums(), queues), Math.max(there.writeQueueNums(), queues));
    }

    /** Deletes a group if it exists. */
    void delete(String group, boolean cleanOffset, Consumer<AppendResult> done) {
        desk.submit(
                FactKeys.group(group),
                () -> groups.current().find(group) == null && !cleanOffset
                        ? null
                        : new GroupDeleted(group, cleanOffset),
                done);
    }

    /** Why a group that is not there may not be made for a consumer; null when it may. */
    public @Nullable Refusal refuseNew(String group) {
        if (!config.settings().autoCreateGroup()) {
            return new Refusal(
                    ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                    "subscription group [" + group + "] does not exist, and autoCreateSubscriptionGroup is false");
        }
        return GroupChecks.refuseName(group);
    }

    /** On the view loop: what the group lacks for this consumer; null when nothing. */
    private @Nullable Fact prepared(ConsumerData consumer, Map<ConsumeQueue, Long> ends) {
        SubscriptionGroupConfig known = groups.current().find(consumer.groupName());
        SubscriptionGroupConfig group = known == null ? SubscriptionGroupConfig.of(consumer.groupName()) : known;
        TopicConfig retryTopic = retryTopic(group);
        List<QueueCommit> pins = positions.pins(consumer, ends);
        if (retryTopic != null) {
            retryTopic = retryTopic.withSysFlag(TopicSysFlag.ofRetryTopic(consumer.unitMode()));
        }
        return known != null && retryTopic == null && pins.isEmpty() ? null : new GroupChanged(group, retryTopic, pins);
    }

    private Fact created(String group, List<QueueCommit> pins) {
        SubscriptionGroupConfig fresh = SubscriptionGroupConfig.of(group);
        return new GroupChanged(fresh, retryTopic(fresh), pins);
    }

    /** The retry topic the group lacks; null when it is there or the group has none. */
    private @Nullable TopicConfig retryTopic(SubscriptionGroupConfig group) {
        String name = TopicName.RETRY_PREFIX + group.groupName();
        return group.retryQueueNums() < 1 || topics.current().find(name) != null
                ? null
                : TopicConfig.of(name, group.retryQueueNums(), Permission.READ | Permission.WRITE);
    }
}
