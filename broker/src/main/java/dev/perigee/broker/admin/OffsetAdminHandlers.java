package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.Member;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.view.GroupTopic;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerOffsetTable;
import dev.perigee.protocol.stats.DelayOffsetTable;
import dev.perigee.protocol.stats.ResetOffsetBody;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.queue.Boundary;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Offsets as tools see and set them: 43, 45, 222 and 314. */
@ThreadSafe
public final class OffsetAdminHandlers {
    /** Where offsets come from and go to. */
    public record Sources(
            TopicView topics,
            GroupView groups,
            OffsetView offsets,
            OffsetCommits commits,
            ConsumeQueueView queues,
            ClientRegistry clients,
            ColdReaders coldReaders) {}

    private static final long AT_END = -1;

    private final Sources from;
    private final BrokerIdentity identity;

    public OffsetAdminHandlers(Sources from, BrokerIdentity identity) {
        this.from = from;
        this.identity = identity;
    }

    /** 43: every logged offset. */
    public void all(Request<NoHeader> request, Reply<NoHeader> reply) {
        Map<String, Map<Integer, Long>> table = new TreeMap<>();
        for (Map.Entry<GroupTopic, Map<Integer, Long>> entry :
                from.offsets().all().entrySet()) {
            if (!entry.getValue().isEmpty()) {
                table.put(entry.getKey().topic() + "@" + entry.getKey().group(), entry.getValue());
            }
        }
        reply.ok(NoHeader.NONE, Bodies.json(new ConsumerOffsetTable(table, null, DataVersion.NONE)));
    }

    /** 45: delay levels; there are none in this release. */
    public void delays(Request<NoHeader> request, Reply<NoHeader> reply) {
        reply.ok(NoHeader.NONE, Bodies.json(new DelayOffsetTable(Map.of(), DataVersion.NONE)));
    }

    /** 314: a group, which exists, takes over the offsets of another one. */
    public void copy(Request<CloneOffsetHeader> request, Reply<NoHeader> reply) {
        CloneOffsetHeader header = request.header();
        Refusal refusal = refuseGroup("destGroup", header.destGroup());
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        String one = header.topic();
        Set<String> topics = one == null || one.isEmpty() ? from.offsets().topicsOf(header.srcGroup()) : Set.of(one);
        boolean all = true;
        for (String topic : topics) {
            for (int queueId : from.offsets().offsets(header.srcGroup(), topic).keySet()) {
                long offset = from.commits().newest(header.srcGroup(), topic, queueId);
                all &= from.commits().set(header.destGroup(), topic, queueId, offset);
            }
        }
        if (all) {
            from.commits().flush(reply, () -> reply.ok(NoHeader.NONE));
        } else {
            reply.fail(ResponseCode.SYSTEM_BUSY, OffsetCommits.TOO_MANY);
        }
    }

    private @Nullable Refusal refuseGroup(String field, String group) {
        String wrong = GroupName.problem(group);
        if (wrong != null) {
            return new Refusal(ResponseCode.INVALID_PARAMETER, field + ": " + wrong);
        }
        return from.groups().current().find(group) != null
                ? null
                : new Refusal(
                        ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, field + ": group [" + group + "] does not exist");
    }

    /** 222: sets a group back or forward by time and tells its members; a group without members is refused with 206. */
    public void reset(Request<ResetOffsetHeader> request, Reply<NoHeader> reply) {
        ResetOffsetHeader header = request.header();
        TopicConfig topic = from.topics().current().find(header.topic());
        ConsumerGroup group = from.clients().consumers(header.group());
        if (topic == null) {
            reply.fail(ResponseCode.TOPIC_NOT_EXIST, "topic[" + header.topic() + "] not exist");
        } else if (group == null) {
            reply.fail(
                    ResponseCode.CONSUMER_NOT_ONLINE,
                    "Consumer not online, so can not reset offset, Group: " + header.group() + " Topic: "
                            + header.topic());
        } else {
            ColdAnswer.give(from.coldReaders(), reply, () -> reset(header, topic, group, reply));
        }
    }

    private void reset(ResetOffsetHeader header, TopicConfig topic, ConsumerGroup group, Reply<NoHeader> reply) {
        Map<MessageQueue, Long> wanted = new TreeMap<>();
        for (int queueId = 0; queueId < topic.readQueueNums(); queueId++) {
            if (header.queueId() < 0 || header.queueId() == queueId) {
                long known = from.commits().newest(header.group(), header.topic(), queueId);
                long offset = target(header, queueId);
                boolean moves = header.force() || known < 0 || offset <= known;
                wanted.put(new MessageQueue(header.topic(), identity.name(), queueId), moves ? offset : known);
            }
        }
        boolean all = true;
        for (Map.Entry<MessageQueue, Long> entry : wanted.entrySet()) {
            int queueId = entry.getKey().queueId();
            all &= from.commits().set(header.group(), header.topic(), queueId, entry.getValue());
        }
        if (!all) {
            reply.fail(ResponseCode.SYSTEM_BUSY, OffsetCommits.TOO_MANY);
            return;
        }
        ResetOffsetBody body = new ResetOffsetBody(wanted);
        byte[] bytes = Json.write(body);
        for (Member member : group.members()) {
            member.connection().oneway(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, header, bytes);
        }
        from.commits().flush(reply, () -> reply.ok(NoHeader.NONE, Bodies.json(body)));
    }

    private long target(ResetOffsetHeader header, int queueId) {
        ConsumeQueue queue = from.queues().find(header.topic(), queueId);
        if (queue == null) {
            return 0;
        }
        Long asked = header.offset();
        if (header.queueId() >= 0 && asked != null && asked >= 0) {
            return Math.max(queue.minOffset(), Math.min(asked, queue.maxOffset()));
        }
        return header.timestamp() <= AT_END
                ? queue.maxOffset()
                : queue.offsetByTime(header.timestamp(), Boundary.LOWER);
    }
}
