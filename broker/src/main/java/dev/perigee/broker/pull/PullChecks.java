package dev.perigee.broker.pull;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.Member;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.filter.FilterCache;
import dev.perigee.broker.filter.FilterResult;
import dev.perigee.broker.filter.MessageFilter;
import dev.perigee.broker.filter.TagFilter;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.remoting.Request;
import org.jspecify.annotations.Nullable;

/** The checks of a pull, in the order of broker-client §2.1. */
@ThreadSafe
final class PullChecks {
    /** What a pull may do; {@code refusal} is null exactly when the other three are there. */
    record Plan(
            @Nullable Refusal refusal,
            int forbiddenType,
            @Nullable TopicConfig topic,
            @Nullable SubscriptionGroupConfig group,
            MessageFilter filter) {
        static Plan refused(int code, String remark) {
            return forbidden(code, 0, remark);
        }

        static Plan forbidden(int code, int type, String remark) {
            return new Plan(new Refusal(code, remark), type, null, null, TagFilter.ALL);
        }
    }

    private static final int FORBIDDEN_BROKER = 1;
    private static final int FORBIDDEN_GROUP = 2;
    private static final int FORBIDDEN_TOPIC = 3;
    private static final int FORBIDDEN_BROADCAST = 4;

    private final TopicView topics;
    private final GroupView groups;
    private final ClientRegistry clients;
    private final FilterCache filters;

    PullChecks(TopicView topics, GroupView groups, ClientRegistry clients, FilterCache filters) {
        this.topics = topics;
        this.groups = groups;
        this.clients = clients;
        this.filters = filters;
    }

    /** Whether the group is known, so that the other checks make sense. */
    boolean knowsGroup(String group) {
        return groups.current().find(group) != null;
    }

    Plan check(Request<PullMessageHeader> request, LiveSettings live) {
        PullMessageHeader header = request.header();
        Plan refused = againstBroker(request.code(), live);
        if (refused != null) {
            return refused;
        }
        SubscriptionGroupConfig group = groups.current().find(header.consumerGroup());
        if (group == null) {
            return Plan.refused(
                    ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                    "subscription group [" + header.consumerGroup() + "] does not exist");
        }
        return check(request, group, topics.current().find(header.topic()));
    }

    /**
     * What {@link #check} would say if the group, which is not there, were made now with its retry topic. So that a refused
     * pull makes no group.
     *
     * @param notMade why the group may not be made; null when it may
     */
    Plan checkAsNew(Request<PullMessageHeader> request, LiveSettings live, @Nullable Refusal notMade) {
        PullMessageHeader header = request.header();
        Plan refused = againstBroker(request.code(), live);
        if (refused != null) {
            return refused;
        }
        if (notMade != null) {
            return Plan.refused(notMade.code(), notMade.remark());
        }
        SubscriptionGroupConfig group = SubscriptionGroupConfig.of(header.consumerGroup());
        TopicConfig topic = topics.current().find(header.topic());
        if (topic == null && header.topic().equals(TopicName.retry(group.groupName()))) {
            topic = TopicConfig.of(header.topic(), group.retryQueueNums(), Permission.READ | Permission.WRITE);
        }
        return check(request, group, topic);
    }

    private Plan check(Request<PullMessageHeader> request, SubscriptionGroupConfig group, @Nullable TopicConfig topic) {
        PullMessageHeader header = request.header();
        if (!group.consumeEnable()) {
            return Plan.forbidden(
                    ResponseCode.NO_PERMISSION,
                    FORBIDDEN_GROUP,
                    "subscription group [" + header.consumerGroup() + "] may not consume: consumeEnable is false");
        }
        if (topic == null) {
            return Plan.refused(
                    ResponseCode.TOPIC_NOT_EXIST,
                    "topic[" + header.topic() + "] not exist, apply first please! queueId " + header.queueId());
        }
        Plan refused = againstTopic(header, topic);
        refused = refused == null ? againstBroadcasting(request, group) : refused;
        if (refused != null) {
            return refused;
        }
        return PullFlags.hasSubscription(header.sysFlag())
                ? withHeaderSubscription(header, topic, group)
                : withKnownSubscription(request, topic, group);
    }

    /** By what the member on this connection said of itself; by the group's last heartbeat where it is nobody's. */
    private @Nullable Plan againstBroadcasting(Request<PullMessageHeader> request, SubscriptionGroupConfig group) {
        ConsumerGroup members = group.consumeBroadcastEnable() ? null : clients.consumers(group.groupName());
        Member member = members == null ? null : members.memberOn(request.askedBy());
        if (members == null
                || (member == null ? members.messageModel() : member.messageModel()) != MessageModel.BROADCASTING) {
            return null;
        }
        return Plan.forbidden(
                ResponseCode.NO_PERMISSION,
                FORBIDDEN_BROADCAST,
                "subscription group [" + group.groupName()
                        + "] may not consume by broadcasting: consumeBroadcastEnable is false");
    }

    private static @Nullable Plan againstBroker(int code, LiveSettings live) {
        if (!live.readable()) {
            return Plan.forbidden(
                    ResponseCode.NO_PERMISSION,
                    FORBIDDEN_BROKER,
                    "the broker's brokerPermission " + live.permission() + " forbids reading");
        }
        if (code == RequestCode.LITE_PULL_MESSAGE && !live.litePull()) {
            return Plan.forbidden(
                    ResponseCode.NO_PERMISSION, FORBIDDEN_BROKER, "litePullMessageEnable is false on this broker");
        }
        return null;
    }

    private static @Nullable Plan againstTopic(PullMessageHeader header, TopicConfig topic) {
        if (!Permission.isReadable(topic.perm())) {
            return Plan.forbidden(
                    ResponseCode.NO_PERMISSION,
                    FORBIDDEN_TOPIC,
                    "topic[" + header.topic() + "] may not be read: perm " + Permission.text(topic.perm()));
        }
        if (SystemTopic.hidden().contains(header.topic())) {
            return Plan.forbidden(
                    ResponseCode.NO_PERMISSION,
                    FORBIDDEN_TOPIC,
                    "topic[" + header.topic() + "] is kept by brokers for themselves and may not be read");
        }
        if (header.queueId() < 0 || header.queueId() >= topic.readQueueNums()) {
            return Plan.refused(
                    ResponseCode.INVALID_PARAMETER,
                    "queueId[" + header.queueId() + "] is illegal, topic[" + header.topic() + "] has "
                            + topic.readQueueNums() + " read queues (0 to " + (topic.readQueueNums() - 1) + ")");
        }
        if (header.maxMsgNums() < 1) {
            return Plan.refused(ResponseCode.INVALID_PARAMETER, "maxMsgNums " + header.maxMsgNums() + " is below 1");
        }
        return null;
    }

    private Plan withHeaderSubscription(PullMessageHeader header, TopicConfig topic, SubscriptionGroupConfig group) {
        String type = header.expressionType();
        String expression = header.subscription() == null ? "" : header.subscription();
        if (type != null && !ExpressionType.isTag(type)) {
            return filteredBy(SubscriptionData.ofExpression(header.topic(), expression, type, 0), topic, group);
        }
        try {
            return filteredBy(SubscriptionData.ofTags(header.topic(), expression, 0), topic, group);
        } catch (IllegalArgumentException e) {
            return Plan.refused(
                    ResponseCode.SUBSCRIPTION_PARSE_FAILED,
                    "parse the consumer's subscription failed: " + e.getMessage());
        }
    }

    /**
     * By what the member on this connection said of itself, so that members that differ, as while a release is rolled out,
     * each get what they asked for; by the group's last heartbeat only where the connection is nobody's.
     */
    private Plan withKnownSubscription(
            Request<PullMessageHeader> request, TopicConfig topic, SubscriptionGroupConfig group) {
        PullMessageHeader header = request.header();
        ConsumerGroup members = clients.consumers(header.consumerGroup());
        if (members == null) {
            return Plan.refused(
                    ResponseCode.SUBSCRIPTION_NOT_EXIST,
                    "the consumer's group info not exist: no heartbeat of group [" + header.consumerGroup() + "] yet");
        }
        Member member = members.memberOn(request.askedBy());
        SubscriptionData subscription =
                member == null ? members.subscription(header.topic()) : member.subscription(header.topic());
        if (subscription == null) {
            return Plan.refused(
                    ResponseCode.SUBSCRIPTION_NOT_EXIST,
                    "the consumer's subscription not exist: group [" + header.consumerGroup() + "], topic ["
                            + header.topic() + "]");
        }
        if (subscription.subVersion() < header.subVersion()) {
            return Plan.refused(
                    ResponseCode.SUBSCRIPTION_NOT_LATEST,
                    "the consumer's subscription not latest: known " + subscription.subVersion() + ", asked "
                            + header.subVersion());
        }
        return filteredBy(subscription, topic, group);
    }

    private Plan filteredBy(SubscriptionData subscription, TopicConfig topic, SubscriptionGroupConfig group) {
        FilterResult result = filters.get(subscription);
        return result instanceof FilterResult.Usable usable
                ? new Plan(null, 0, topic, group, usable.filter())
                : new Plan(((FilterResult.Unusable) result).refusal(), 0, null, null, TagFilter.ALL);
    }
}
