package dev.perigee.broker.topic;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.Page;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.view.TopicView;
import dev.perigee.broker.view.Topics;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.topic.AllTopicConfigHeader;
import dev.perigee.protocol.header.topic.AllTopicConfigResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.route.TopicList;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigList;
import dev.perigee.protocol.topic.TopicConfigTable;
import dev.perigee.protocol.topic.TopicFilterType;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.store.append.AppendResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Answers the topic requests of tools: 17, 18, 21, 215, 305 and 351. A change is answered when everyone can see it; what 17 and 18 make
 * or change is known to the NameServers by then ({@link RouteWaits}). A deletion (215) is not waited for there: tools take the topic from
 * the NameServers by themselves (216), and a stock broker does not even tell them.
 */
@ThreadSafe
public final class TopicHandlers {
    private final TopicView topics;
    private final TopicCreation creation;
    private final TopicDeletion deletion;
    private final RouteWaits routes;
    private final SystemTopics system;
    private final TopicChecks checks;

    public TopicHandlers(
            TopicView topics, TopicCreation creation, TopicDeletion deletion, RouteWaits routes, SystemTopics system) {
        this.topics = topics;
        this.creation = creation;
        this.deletion = deletion;
        this.routes = routes;
        this.system = system;
        this.checks = new TopicChecks(system);
    }

    /** 17: creates or changes one topic. */
    public void update(Request<CreateTopicHeader> request, Reply<NoHeader> reply) {
        CreateTopicHeader header = request.header();
        TopicFilterType filter = filterType(header.topicFilterType());
        if (filter == null) {
            reply.fail(
                    ResponseCode.INVALID_PARAMETER,
                    "topicFilterType '" + header.topicFilterType() + "' is neither SINGLE_TAG nor MULTI_TAG");
            return;
        }
        String change = header.attributes();
        TopicAttributes.Outcome attributes =
                TopicAttributes.change(known(header.topic()), change == null ? "" : change);
        TopicConfig config = new TopicConfig(
                header.topic(),
                header.readQueueNums(),
                header.writeQueueNums(),
                header.perm(),
                filter,
                header.topicSysFlag() == null ? 0 : header.topicSysFlag(),
                header.order(),
                attributes.attributes());
        Refusal refusal = checks.refuse(config);
        refusal = refusal == null ? attributes.refusal() : refusal;
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        creation.put(config, result -> answer(reply, result));
    }

    /** 18: creates or changes several topics; refused whole when one is not in order. */
    public void updateAll(Request<NoHeader> request, Reply<NoHeader> reply) {
        TopicConfigList list = Bodies.read(request, reply, TopicConfigList.class);
        if (list == null) {
            return;
        }
        if (list.topicConfigList().isEmpty()) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "the body has no topicConfigList, or an empty one");
            return;
        }
        List<TopicConfig> configs = new ArrayList<>();
        for (TopicConfig wanted : list.topicConfigList()) {
            Refusal refusal = checks.refuse(wanted);
            if (refusal == null) {
                TopicAttributes.Outcome attributes =
                        TopicAttributes.change(known(wanted.topicName()), wanted.attributes());
                configs.add(wanted.withAttributes(attributes.attributes()));
                refusal = attributes.refusal();
            }
            if (refusal != null) {
                refusal.answer(reply);
                return;
            }
        }
        putAll(configs, reply);
    }

    /** 215: deletes a topic with its messages and offsets. */
    public void delete(Request<TopicHeader> request, Reply<NoHeader> reply) {
        String topic = request.header().topic();
        Refusal refusal = checks.refuseName(topic);
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        deletion.delete(topic, result -> Appends.answer(reply, result, NoHeader.NONE));
    }

    /** 351: one topic. */
    public void describe(Request<TopicConfigHeader> request, Reply<NoHeader> reply) {
        TopicConfig config = topics.current().find(request.header().topic());
        if (config == null) {
            reply.fail(
                    ResponseCode.TOPIC_NOT_EXIST,
                    "No topic in this broker. topic: " + request.header().topic());
        } else {
            reply.ok(NoHeader.NONE, Bodies.json(config));
        }
    }

    /** 21: all topics, or a page of them in the order of their names. */
    public void all(Request<AllTopicConfigHeader> request, Reply<AllTopicConfigResponse> reply) {
        Topics now = topics.current();
        AllTopicConfigHeader header = request.header();
        SortedMap<String, TopicConfig> sorted = new TreeMap<>(now.byName());
        Page page = Page.of(header.topicSeq(), header.maxTopicNum(), header.dataVersion(), now.version());
        reply.ok(
                new AllTopicConfigResponse(page == null ? null : sorted.size()),
                Bodies.json(TopicConfigTable.of(page == null ? sorted : page.cut(sorted), now.version())));
    }

    /** 305: the broker's own topics. */
    public void systemTopics(Request<NoHeader> request, Reply<NoHeader> reply) {
        reply.ok(NoHeader.NONE, Bodies.json(TopicList.of(system.names())));
    }

    /** The attributes a topic has; none when it is new. */
    private Map<String, String> known(String topic) {
        TopicConfig before = topics.current().find(topic);
        return before == null ? Map.of() : before.attributes();
    }

    /** Null when the text names no filter type. */
    private static @Nullable TopicFilterType filterType(String text) {
        return Arrays.stream(TopicFilterType.values())
                .filter(type -> type.name().equals(text))
                .findFirst()
                .orElse(null);
    }

    /** What was made or changed is told once the NameServers know; that it was not, at once. */
    private void answer(Reply<NoHeader> reply, AppendResult result) {
        Reply<NoHeader> by = result == AppendResult.APPENDED ? routes.holding(reply) : reply;
        Appends.answer(by, result, NoHeader.NONE);
    }

    private void putAll(List<TopicConfig> configs, Reply<NoHeader> reply) {
        AtomicInteger open = new AtomicInteger(configs.size());
        AtomicReference<@Nullable AppendResult> worst = new AtomicReference<>();
        for (TopicConfig config : configs) {
            creation.put(config, result -> {
                if (result != AppendResult.APPENDED) {
                    worst.set(result);
                }
                if (open.decrementAndGet() == 0) {
                    AppendResult failed = worst.get();
                    answer(reply, failed == null ? AppendResult.APPENDED : failed);
                }
            });
        }
    }
}
