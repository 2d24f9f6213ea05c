package dev.perigee.client.consumer;

import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.listener.ConsumeCounters;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.work.ThreadStacks;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.client.QueueRunningInfo;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.message.MessageQueue;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.TreeMap;

/** Describes a push consumer for administrators (code 307). */
@OwnedBy("client loop")
final class RunningInfo {
    private final ClientInstance instance;
    private final PushConfig config;
    private final Subscriptions subscriptions;
    private final PushAssignments assignments;
    private final ConsumeCounters counters;
    private final long startedWallMs;
    private final long startedMs;

    RunningInfo(
            ClientInstance instance,
            PushConfig config,
            Subscriptions subscriptions,
            PushAssignments assignments,
            ConsumeCounters counters) {
        this.instance = instance;
        this.config = config;
        this.subscriptions = subscriptions;
        this.assignments = assignments;
        this.counters = counters;
        this.startedWallMs = instance.clock().wallMs();
        this.startedMs = instance.clock().monotonicMs();
    }

    ConsumerRunningInfo describe(boolean withStacks) {
        Map<MessageQueue, QueueRunningInfo> queues = new HashMap<>();
        for (QueuePuller puller : assignments.pullers()) {
            long lockedAtMs = assignments.work().lockedAtMs(puller.queue());
            queues.put(puller.queue(), puller.describe(lockedAtMs));
        }
        return new ConsumerRunningInfo(
                properties(),
                new LinkedHashSet<>(subscriptions.all()),
                queues,
                null,
                counters.statuses(instance.clock().monotonicMs() - startedMs),
                null,
                withStacks ? ThreadStacks.text() : null);
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new TreeMap<>();
        properties.put(
                "PROP_NAMESERVER_ADDR", String.join(";", instance.nameServers().addresses()));
        properties.put("PROP_THREADPOOL_CORE_SIZE", Integer.toString(config.threads()));
        properties.put(
                "PROP_CONSUMEORDERLY", Boolean.toString(assignments.work().isOrderly()));
        properties.put("PROP_CONSUME_TYPE", "CONSUME_PASSIVELY");
        properties.put("PROP_CLIENT_VERSION", Integer.toString(PeerVersion.OURS));
        properties.put("PROP_CONSUMER_START_TIMESTAMP", Long.toString(startedWallMs));
        properties.put("consumerGroup", config.group());
        properties.put("messageModel", config.model().name());
        properties.put("consumeMessageBatchMaxSize", Integer.toString(config.batchSize()));
        properties.put("pullBatchSize", Integer.toString(config.pullBatchSize()));
        properties.put("pullThresholdForQueue", Integer.toString(config.limits().maxCount()));
        properties.put("maxReconsumeTimes", Integer.toString(config.failure().maxReconsumeTimes()));
        return properties;
    }
}
