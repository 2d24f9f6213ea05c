package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.Member;
import dev.perigee.broker.client.SubscriptionConflicts;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ClientConnection;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.client.ProducerConnection;
import dev.perigee.protocol.client.ProducerInfo;
import dev.perigee.protocol.client.ProducerTable;
import dev.perigee.protocol.group.GroupList;
import dev.perigee.protocol.group.GroupSubscription;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ProducerGroupHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.group.GroupTopicHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who is connected and who reads what: 203, 204, 300, 328, 343 and 345. */
@ThreadSafe
public final class ConnectionHandlers {
    private final ClientRegistry clients;
    private final OffsetCommits offsets;
    private final BrokerIdentity identity;

    public ConnectionHandlers(ClientRegistry clients, OffsetCommits offsets, BrokerIdentity identity) {
        this.clients = clients;
        this.offsets = offsets;
        this.identity = identity;
    }

    /** 203: the members of a consumer group, and where they want different things of the same topic. */
    public void consumers(Request<ConsumerGroupHeader> request, Reply<NoHeader> reply) {
        String name = request.header().consumerGroup();
        ConsumerGroup group = clients.consumers(name);
        if (group == null) {
            reply.fail(ResponseCode.CONSUMER_NOT_ONLINE, "the consumer group[" + name + "] not online");
            return;
        }
        Map<String, SubscriptionData> subscriptions = new TreeMap<>(group.subscriptions());
        Map<String, Map<String, String>> conflicts = SubscriptionConflicts.of(group);
        reply.ok(
                NoHeader.NONE,
                Bodies.json(new ConsumerConnection(
                        connections(group.members()),
                        subscriptions,
                        group.consumeType(),
                        group.messageModel(),
                        group.fromWhere(),
                        conflicts.isEmpty() ? null : conflicts)));
    }

    /** 204: the members of a producer group. */
    public void producers(Request<ProducerGroupHeader> request, Reply<NoHeader> reply) {
        String name = request.header().producerGroup();
        List<Member> members = clients.producers(name);
        if (members.isEmpty()) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "the producer group[" + name + "] not exist");
        } else {
            reply.ok(NoHeader.NONE, Bodies.json(new ProducerConnection(connections(members))));
        }
    }

    /** 328: every producer. */
    public void allProducers(Request<NoHeader> request, Reply<NoHeader> reply) {
        Map<String, List<ProducerInfo>> table = new TreeMap<>();
        clients.allProducers()
                .forEach((group, members) -> table.put(
                        group,
                        members.stream()
                                .map(member -> new ProducerInfo(
                                        member.clientId(),
                                        "/" + member.connection().remoteAddress(),
                                        member.language(),
                                        member.version(),
                                        member.seenWallMs()))
                                .toList()));
        reply.ok(NoHeader.NONE, Bodies.json(new ProducerTable(table)));
    }

    /** 300: the groups that read a topic, now or in the past. */
    public void groupsOfTopic(Request<TopicHeader> request, Reply<NoHeader> reply) {
        String topic = request.header().topic();
        Set<String> groups = new TreeSet<>(clients.groupsOf(topic));
        groups.addAll(offsets.groupsOf(topic));
        reply.ok(NoHeader.NONE, Bodies.json(new GroupList(groups)));
    }

    /** 343: the topics a group has offsets in. */
    public void topicsOfGroup(Request<GroupHeader> request, Reply<NoHeader> reply) {
        Set<String> topics = offsets.topicsOf(request.header().group());
        reply.ok(NoHeader.NONE, Bodies.json(new TopicList(topics, identity.address())));
    }

    /** 345: what a group wants of a topic. */
    public void subscription(Request<GroupTopicHeader> request, Reply<NoHeader> reply) {
        GroupTopicHeader header = request.header();
        ConsumerGroup group = clients.consumers(header.group());
        String topic = header.topic();
        SubscriptionData known = group == null || topic == null ? null : group.subscription(topic);
        reply.ok(NoHeader.NONE, Bodies.json(new GroupSubscription(header.group(), topic, known)));
    }

    private static Set<ClientConnection> connections(List<Member> members) {
        Set<ClientConnection> connections = new LinkedHashSet<>();
        for (Member member : members) {
            connections.add(new ClientConnection(
                    member.clientId(), member.connection().remoteAddress(), member.language(), member.version()));
        }
        return connections;
    }
}
