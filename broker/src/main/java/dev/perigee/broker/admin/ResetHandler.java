package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.Member;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.offset.Holders;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ResetOffsetBody;
import dev.perigee.protocol.stats.ResetOffsetList;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.queue.Boundary;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.ColdReaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sets a group back or forward, to a time or one queue to an offset (222, broker-admin §3.1), all queues or none. The
 * offsets are the broker's: they are logged, whether anybody of the group is online or not, and the next pull of each queue
 * is answered 21 with the new one, upon which the member drops what it holds and goes on from there.
 *
 * <p>Members that consume by broadcasting keep offsets of their own: those that are connected are told by a push (220)
 * instead. When a group has no others it has no offsets at the broker, nothing is logged, and the answer says so.
 */
@ThreadSafe
public final class ResetHandler implements RequestHandler<ResetOffsetHeader, NoHeader> {
    /** Where offsets come from and go to, and who is to be told. */
    public record Sources(
            TopicView topics,
            GroupView groups,
            OffsetCommits commits,
            ConsumeQueueView queues,
            ClientRegistry clients,
            ColdReaders coldReaders) {}

    /** Where each queue is afterwards, and those that are set for it: without force none goes forward by time. */
    private record Targets(Map<MessageQueue, Long> all, List<QueueCommit> moves) {}

    private static final long UNSET = -1;
    private static final int ALL_QUEUES = -1;

    private final Sources from;
    private final BrokerIdentity identity;

    public ResetHandler(Sources from, BrokerIdentity identity) {
        this.from = from;
        this.identity = identity;
    }

    @Override
    public void handle(Request<ResetOffsetHeader> request, Reply<NoHeader> reply) {
        ResetOffsetHeader header = request.header();
        TopicConfig topic = from.topics().current().find(header.topic());
        ConsumerGroup online = from.clients().consumers(header.group());
        List<Member> told = online == null ? List.of() : online.broadcasting();
        Refusal refusal = refuse(header, topic, told);
        if (topic == null || refusal != null) {
            (refusal == null ? unknownTopic(header) : refusal).answer(reply);
            return;
        }
        boolean asList = request.language() == Language.CPP;
        ColdAnswer.give(from.coldReaders(), reply, () -> {
            Targets targets = targets(header, topic);
            if (online != null && online.isBroadcasting()) {
                tell(header, told, targets.all(), asList);
                reply.send(ResponseCode.SUCCESS, toldOnly(header.group(), told), NoHeader.NONE, body(targets));
                return;
            }
            from.commits().reset(targets.moves(), Holders.of(online), reply, () -> {
                tell(header, told, targets.all(), asList);
                reply.ok(NoHeader.NONE, body(targets));
            });
        });
    }

    private static String toldOnly(String group, List<Member> told) {
        return "group [" + group + "] consumes by broadcasting and has no offsets at the broker: its " + told.size()
                + " connected members were told, others go on from where they are";
    }

    private @Nullable Refusal refuse(ResetOffsetHeader header, @Nullable TopicConfig topic, List<Member> members) {
        if (topic == null) {
            return unknownTopic(header);
        }
        if (from.groups().current().find(header.group()) == null) {
            return new Refusal(
                    ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                    "subscription group [" + header.group() + "] does not exist");
        }
        if (header.queueId() < ALL_QUEUES || header.queueId() >= topic.readQueueNums()) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "queueId " + header.queueId() + " is not between 0 and " + (topic.readQueueNums() - 1)
                            + ", the queues of topic " + header.topic() + ", nor -1 for all");
        }
        for (Member member : members) {
            if (member.version() < PeerVersion.V3_0_7_SNAPSHOT) {
                return new Refusal(
                        ResponseCode.SYSTEM_ERROR,
                        "consumer <" + member.clientId() + "> of version " + PeerVersion.describe(member.version())
                                + " cannot be told of a reset: wanted V3_0_7_SNAPSHOT or newer");
            }
        }
        return refuseOffset(header);
    }

    /** An offset can be asked for one queue, within its ends. */
    private @Nullable Refusal refuseOffset(ResetOffsetHeader header) {
        Long asked = header.offset();
        if (header.queueId() == ALL_QUEUES || asked == null || asked == UNSET) {
            return null;
        }
        ConsumeQueue queue = from.queues().find(header.topic(), header.queueId());
        long min = queue == null ? 0 : queue.minOffset();
        long max = queue == null ? 0 : queue.maxOffset();
        return asked >= min && asked <= max
                ? null
                : new Refusal(
                        ResponseCode.SYSTEM_ERROR,
                        "offset " + asked + " is not between " + min + " and " + max + ", the ends of queue "
                                + header.queueId() + " of topic " + header.topic());
    }

    /** One queue is set to an offset; tools never ask for force with it, and mean it whichever way it goes. */
    private static boolean namesOffset(ResetOffsetHeader header) {
        Long asked = header.offset();
        return header.queueId() != ALL_QUEUES && asked != null && asked != UNSET;
    }

    private static Refusal unknownTopic(ResetOffsetHeader header) {
        return new Refusal(ResponseCode.TOPIC_NOT_EXIST, "topic[" + header.topic() + "] not exist");
    }

    private Targets targets(ResetOffsetHeader header, TopicConfig topic) {
        Map<MessageQueue, Long> all = new TreeMap<>();
        List<QueueCommit> moves = new ArrayList<>();
        for (int queueId = 0; queueId < topic.readQueueNums(); queueId++) {
            if (header.queueId() != ALL_QUEUES && header.queueId() != queueId) {
                continue;
            }
            long known = from.commits().newest(header.group(), header.topic(), queueId);
            long offset = target(header, queueId);
            boolean isWanted = header.force() || namesOffset(header) || known < 0 || offset <= known;
            if (isWanted) {
                moves.add(new QueueCommit(header.group(), header.topic(), queueId, offset));
            }
            all.put(new MessageQueue(header.topic(), identity.name(), queueId), isWanted ? offset : known);
        }
        return new Targets(all, moves);
    }

    private static Payload body(Targets targets) {
        return Bodies.json(new ResetOffsetBody(targets.all()));
    }

    private static void tell(
            ResetOffsetHeader header, List<Member> members, Map<MessageQueue, Long> wanted, boolean asList) {
        byte[] table = Json.write(new ResetOffsetBody(wanted));
        byte[] list = Json.write(ResetOffsetList.of(wanted));
        for (Member member : members) {
            boolean wantsList = asList || Language.CPP.name().equals(member.language());
            member.connection().oneway(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, header, wantsList ? list : table);
        }
    }

    private long target(ResetOffsetHeader header, int queueId) {
        ConsumeQueue queue = from.queues().find(header.topic(), queueId);
        if (queue == null) {
            return 0;
        }
        Long asked = header.offset();
        if (header.queueId() != ALL_QUEUES && asked != null && asked != UNSET) {
            return asked;
        }
        return header.timestamp() < 0 ? queue.maxOffset() : queue.offsetByTime(header.timestamp(), Boundary.LOWER);
    }
}
