package dev.perigee.client.pull;

import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.work.ThreadStacks;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.client.QueueRunningInfo;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.protocol.stats.ResetOffsetBody;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what brokers ask of a pull consumer (broker-client §11). */
@ThreadSafe
final class PullRequests {
    private static final Logger LOG = LoggerFactory.getLogger(PullRequests.class);

    /** Who is asked about. */
    record Consumer(
            PullConfig config,
            ClientInstance instance,
            Subscriptions subscriptions,
            LiteQueues queues,
            PullAssignment assignment) {}

    private volatile @Nullable Consumer consumer;
    private volatile long startedWallMs;

    /** From now on requests are answered; before, they are refused. */
    void bind(Consumer asked) {
        this.startedWallMs = asked.instance.clock().wallMs();
        this.consumer = asked;
    }

    HandlerTable table() {
        return HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, this::membersChanged)
                .on(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, this::resetOffsets)
                .on(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, this::positions)
                .on(Rpcs.GET_CONSUMER_RUNNING_INFO, this::runningInfo)
                .on(Rpcs.CONSUME_MESSAGE_DIRECTLY, PullRequests::consumeDirectly)
                .build();
    }

    /** The consumer when it is bound and of this group; otherwise the request is refused. */
    private @Nullable Consumer named(String group, Reply<?> reply) {
        Consumer bound = consumer;
        if (bound == null || !bound.config.group().equals(group)) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "this client has no started consumer of group " + group);
            return null;
        }
        return bound;
    }

    private void membersChanged(Request<ConsumerGroupHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().consumerGroup(), reply);
        if (bound != null) {
            bound.assignment.membersChanged();
            reply.ok(NoHeader.NONE);
        }
    }

    private void resetOffsets(Request<ResetOffsetHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().group(), reply);
        if (bound == null) {
            return;
        }
        try {
            Map<MessageQueue, Long> positions =
                    Json.read(request.copyBody(), ResetOffsetBody.class).offsetTable();
            bound.instance.loop().execute(() -> bound.queues.reset(positions));
            reply.ok(NoHeader.NONE);
        } catch (BadBodyException e) {
            LOG.warn(
                    "event=reset_unreadable from={} reason=\"{}\"",
                    request.from().remoteAddress(),
                    e.getMessage());
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    private void positions(Request<ConsumerStatusHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().group(), reply);
        if (bound == null) {
            return;
        }
        String topic = request.header().topic();
        bound.instance.loop().execute(() -> {
            Map<MessageQueue, Long> positions = new HashMap<>();
            for (QueuePuller puller : bound.queues.pullers()) {
                if (puller.queue().topic().equals(topic)) {
                    positions.put(puller.queue(), puller.cache().commitOffset());
                }
            }
            reply.ok(NoHeader.NONE, Payload.of(Json.write(new ConsumerStatusBody(positions, Map.of()))));
        });
    }

    private void runningInfo(Request<RunningInfoHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().consumerGroup(), reply);
        if (bound != null) {
            boolean withStacks = request.header().jstackEnable();
            bound.instance
                    .loop()
                    .execute(() -> reply.ok(NoHeader.NONE, Payload.of(Json.write(describe(bound, withStacks)))));
        }
    }

    private ConsumerRunningInfo describe(Consumer bound, boolean withStacks) {
        Map<MessageQueue, QueueRunningInfo> queues = new HashMap<>();
        for (QueuePuller puller : bound.queues.pullers()) {
            queues.put(puller.queue(), puller.describe(0));
        }
        PullConfig config = bound.config;
        Map<String, String> properties = new TreeMap<>();
        properties.put(
                "PROP_NAMESERVER_ADDR",
                String.join(";", bound.instance.nameServers().addresses()));
        properties.put("PROP_CONSUMEORDERLY", "false");
        properties.put("PROP_CONSUME_TYPE", "CONSUME_ACTIVELY");
        properties.put("PROP_CLIENT_VERSION", Integer.toString(PeerVersion.OURS));
        properties.put("PROP_CONSUMER_START_TIMESTAMP", Long.toString(startedWallMs));
        properties.put("consumerGroup", config.group());
        properties.put("pullBatchSize", Integer.toString(config.pullBatchSize()));
        properties.put("pullThresholdForQueue", Integer.toString(config.limits().maxCount()));
        properties.put("autoCommitMs", Long.toString(config.autoCommitMs()));
        return new ConsumerRunningInfo(
                properties,
                new LinkedHashSet<>(bound.subscriptions.all()),
                queues,
                null,
                Map.of(),
                null,
                withStacks ? ThreadStacks.text() : null);
    }

    private static void consumeDirectly(Request<ConsumeDirectlyHeader> request, Reply<NoHeader> reply) {
        reply.fail(
                ResponseCode.SYSTEM_ERROR,
                "group " + request.header().consumerGroup()
                        + " consumes by polling, there is no listener to give a message to");
    }
}
