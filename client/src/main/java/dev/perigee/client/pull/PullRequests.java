package dev.perigee.client.pull;

import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.member.MemberRequests;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Subscriptions;
import dev.perigee.client.work.ThreadStacks;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.client.QueueRunningInfo;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.TreeMap;

/** Answers what brokers ask of a pull consumer (broker-client §11). */
@ThreadSafe
final class PullRequests {
    /**
     * Who is asked about.
     *
     * @param startedWallMs since when it answers, milliseconds since 1970
     */
    record Consumer(
            PullConfig config,
            ClientInstance instance,
            Subscriptions subscriptions,
            LiteQueues queues,
            PullAssignment assignment,
            long startedWallMs)
            implements MemberRequests.Member {
        @Override
        public String group() {
            return config.group();
        }

        @Override
        public void membersChanged() {
            assignment.membersChanged();
        }

        @Override
        public void reset(Map<MessageQueue, Long> positions) {
            queues.reset(positions);
        }

        @Override
        public Collection<QueuePuller> pullers() {
            return queues.pullers();
        }

        @Override
        public ConsumerRunningInfo describe(boolean withStacks) {
            Map<MessageQueue, QueueRunningInfo> read = new HashMap<>();
            for (QueuePuller puller : queues.pullers()) {
                read.put(puller.queue(), puller.describe(0));
            }
            Map<String, String> properties = new TreeMap<>();
            properties.put(
                    "PROP_NAMESERVER_ADDR",
                    String.join(";", instance.nameServers().addresses()));
            properties.put("PROP_CONSUMEORDERLY", "false");
            properties.put("PROP_CONSUME_TYPE", "CONSUME_ACTIVELY");
            properties.put("PROP_CLIENT_VERSION", Integer.toString(PeerVersion.OURS));
            properties.put("PROP_CONSUMER_START_TIMESTAMP", Long.toString(startedWallMs));
            properties.put("consumerGroup", config.group());
            properties.put("pullBatchSize", Integer.toString(config.pullBatchSize()));
            properties.put(
                    "pullThresholdForQueue", Integer.toString(config.limits().maxCount()));
            properties.put("autoCommitMs", Long.toString(config.autoCommitMs()));
            return new ConsumerRunningInfo(
                    properties,
                    new LinkedHashSet<>(subscriptions.all()),
                    read,
                    null,
                    Map.of(),
                    null,
                    withStacks ? ThreadStacks.text() : null);
        }
    }

    private final MemberRequests<Consumer> requests = new MemberRequests<>();

    /** From now on requests are answered; before, they are refused. */
    void bind(Consumer asked) {
        requests.bind(asked);
    }

    HandlerTable table() {
        return requests.table()
                .on(Rpcs.CONSUME_MESSAGE_DIRECTLY, PullRequests::consumeDirectly)
                .build();
    }

    private static void consumeDirectly(Request<ConsumeDirectlyHeader> request, Reply<NoHeader> reply) {
        reply.fail(
                ResponseCode.SYSTEM_ERROR,
                "group " + request.header().consumerGroup()
                        + " consumes by polling, there is no listener to give a message to");
    }
}
