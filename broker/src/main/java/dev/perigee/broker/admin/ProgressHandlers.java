package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.broker.BrokerConsumeStatsHeader;
import dev.perigee.protocol.header.group.ConsumeStatsHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.BrokerConsumeStats;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.stats.QueueProgress;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.view.ColdReaders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** How far topics and their readers have come: 202, 208 and 317. Store times are read from the log, on cold readers. */
@ThreadSafe
public final class ProgressHandlers {
    private final Progress progress;
    private final TopicView topics;
    private final BrokerIdentity identity;
    private final ReadGate gate;
    private final ColdReaders coldReaders;

    public ProgressHandlers(
            Progress progress, TopicView topics, BrokerIdentity identity, ReadGate gate, ColdReaders coldReaders) {
        this.progress = progress;
        this.topics = topics;
        this.identity = identity;
        this.gate = gate;
        this.coldReaders = coldReaders;
    }

    /** 202: every queue of a topic. */
    public void topic(Request<TopicHeader> request, Reply<NoHeader> reply) {
        gate.pass(
                reply,
                () -> ColdAnswer.give(coldReaders, reply, () -> {
                    TopicConfig topic = topics.current().find(request.header().topic());
                    if (topic == null) {
                        reply.fail(
                                ResponseCode.TOPIC_NOT_EXIST,
                                "topic[" + request.header().topic() + "] not exist");
                    } else {
                        reply.ok(NoHeader.NONE, Bodies.json(progress.ofTopic(topic)));
                    }
                }));
    }

    /** 208: a group in one topic, in several, or in every topic it has offsets in. */
    public void group(Request<ConsumeStatsHeader> request, Reply<NoHeader> reply) {
        gate.pass(
                reply,
                () -> ColdAnswer.give(coldReaders, reply, () -> {
                    ConsumeStatsHeader header = request.header();
                    reply.ok(NoHeader.NONE, Bodies.json(progress.ofGroup(header.consumerGroup(), topicsOf(header))));
                }));
    }

    /** 317: every group in every topic, or in those marked as ordered. */
    public void all(Request<BrokerConsumeStatsHeader> request, Reply<NoHeader> reply) {
        boolean onlyOrdered = request.header().order();
        gate.pass(
                reply,
                () -> ColdAnswer.give(
                        coldReaders, reply, () -> reply.ok(NoHeader.NONE, Bodies.json(all(onlyOrdered)))));
    }

    private BrokerConsumeStats all(boolean onlyOrdered) {
        List<Map<String, List<ConsumeStats>>> list = new ArrayList<>();
        long behind = 0;
        long inFlight = 0;
        for (String group : progress.groups()) {
            List<ConsumeStats> perTopic = new ArrayList<>();
            for (String topic : progress.topicsOf(group)) {
                if (onlyOrdered && !isOrdered(topic)) {
                    continue;
                }
                ConsumeStats stats = progress.ofGroup(group, Set.of(topic));
                if (stats.offsetTable().isEmpty()) {
                    continue;
                }
                perTopic.add(stats);
                for (QueueProgress queue : stats.offsetTable().values()) {
                    behind += queue.brokerOffset() - queue.consumerOffset();
                    inFlight += queue.pullOffset() - queue.consumerOffset();
                }
            }
            list.add(new TreeMap<>(Map.of(group, perTopic)));
        }
        return new BrokerConsumeStats(list, identity.address(), behind, inFlight);
    }

    private boolean isOrdered(String topic) {
        TopicConfig config = topics.current().find(topic);
        return config != null && config.order();
    }

    private Set<String> topicsOf(ConsumeStatsHeader header) {
        String one = header.topic();
        String several = header.topicList();
        if (one != null && !one.isEmpty()) {
            return Set.of(one);
        }
        if (several != null && !several.isEmpty()) {
            return new TreeSet<>(Arrays.asList(several.split(";", -1)));
        }
        return progress.topicsOf(header.consumerGroup());
    }
}
