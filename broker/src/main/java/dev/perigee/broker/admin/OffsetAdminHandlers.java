package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.offset.Holders;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.view.GroupTopic;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.ConsumerOffsetTable;
import dev.perigee.protocol.stats.DelayOffsetTable;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Offsets as tools see and copy them: 43, 45 and 314. */
@ThreadSafe
public final class OffsetAdminHandlers {
    private final OffsetView offsets;
    private final OffsetCommits commits;
    private final GroupView groups;
    private final ClientRegistry clients;

    public OffsetAdminHandlers(OffsetView offsets, OffsetCommits commits, GroupView groups, ClientRegistry clients) {
        this.offsets = offsets;
        this.commits = commits;
        this.groups = groups;
        this.clients = clients;
    }

    /** 43: every logged offset. */
    public void all(Request<NoHeader> request, Reply<NoHeader> reply) {
        Map<String, Map<Integer, Long>> table = new TreeMap<>();
        for (Map.Entry<GroupTopic, Map<Integer, Long>> entry : offsets.all().entrySet()) {
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

    /**
     * 314: a group, which exists, takes over the offsets of another one, all or none; unless {@code offline}, of topics that
     * its members, when there are some, subscribe to. Members of it are told as of a reset
     * (222), so that they do not undo it with their next commit. A group whose members consume by broadcasting, and so keep
     * offsets of their own, is refused.
     */
    public void copy(Request<CloneOffsetHeader> request, Reply<NoHeader> reply) {
        CloneOffsetHeader header = request.header();
        Refusal refusal = refuseGroup("destGroup", header.destGroup());
        refusal = refusal == null ? refuseBroadcasting(header.destGroup()) : refusal;
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        // what was committed a moment ago is copied too
        commits.flush(reply, () -> reply.resume(() -> copyLogged(header, reply)));
    }

    private void copyLogged(CloneOffsetHeader header, Reply<NoHeader> reply) {
        String one = header.topic();
        Set<String> topics = one == null || one.isEmpty() ? offsets.topicsOf(header.srcGroup()) : Set.of(one);
        List<QueueCommit> copies = new ArrayList<>();
        ConsumerGroup source = header.offline() ? null : clients.consumers(header.srcGroup());
        for (String topic : topics) {
            if (source != null && !source.wants(topic)) {
                continue; // an offset of another time
            }
            for (int queueId : offsets.offsets(header.srcGroup(), topic).keySet()) {
                long offset = commits.newest(header.srcGroup(), topic, queueId);
                copies.add(new QueueCommit(header.destGroup(), topic, queueId, offset));
            }
        }
        Holders holders = Holders.of(clients.consumers(header.destGroup()));
        commits.reset(copies, holders, reply, () -> reply.ok(NoHeader.NONE));
    }

    private @Nullable Refusal refuseBroadcasting(String group) {
        ConsumerGroup online = clients.consumers(group);
        return online == null || !online.isBroadcasting()
                ? null
                : new Refusal(
                        ResponseCode.BROADCAST_CONSUMPTION,
                        "destGroup: group [" + group + "] consumes by broadcasting and has no offsets at the broker");
    }

    private @Nullable Refusal refuseGroup(String field, String group) {
        String wrong = GroupName.problem(group);
        if (wrong != null) {
            return new Refusal(ResponseCode.INVALID_PARAMETER, field + ": " + wrong);
        }
        return groups.current().find(group) != null
                ? null
                : new Refusal(
                        ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, field + ": group [" + group + "] does not exist");
    }
}
