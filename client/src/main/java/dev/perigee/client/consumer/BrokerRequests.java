package dev.perigee.client.consumer;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumeDirectlyResult;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what brokers ask of a push consumer (broker-client §11). */
@ThreadSafe
final class BrokerRequests {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerRequests.class);

    /** Who is asked about. */
    record Consumer(
            String group,
            ClientInstance instance,
            PushAssignments assignments,
            Rebalance rebalance,
            RunningInfo info,
            ListenerRun listener,
            Executor threads) {}

    private final MessageReader reader = new MessageReader();
    private volatile @Nullable Consumer consumer;

    /** From now on requests are answered; before, they are refused. */
    void bind(Consumer asked) {
        this.consumer = asked;
    }

    HandlerTable table() {
        return HandlerTable.builder()
                .on(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, this::membersChanged)
                .on(Rpcs.RESET_CONSUMER_CLIENT_OFFSET, this::resetOffsets)
                .on(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, this::positions)
                .on(Rpcs.GET_CONSUMER_RUNNING_INFO, this::runningInfo)
                .on(Rpcs.CONSUME_MESSAGE_DIRECTLY, this::consumeDirectly)
                .build();
    }

    /** The consumer when it is bound and of this group; otherwise the request is refused. */
    private @Nullable Consumer named(String group, Reply<?> reply) {
        Consumer bound = consumer;
        if (bound == null || !bound.group.equals(group)) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "this client has no started consumer of group " + group);
            return null;
        }
        return bound;
    }

    private void membersChanged(Request<ConsumerGroupHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().consumerGroup(), reply);
        if (bound != null) {
            bound.instance.loop().execute(bound.rebalance::start);
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
            bound.instance.loop().execute(() -> bound.assignments.reset(positions));
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
            for (QueuePuller puller : bound.assignments.pullers()) {
                if (puller.queue().topic().equals(topic)) {
                    positions.put(puller.queue(), puller.cache().commitOffset());
                }
            }
            byte[] body = Json.write(new ConsumerStatusBody(positions, Map.of()));
            reply.ok(NoHeader.NONE, Payload.of(body));
        });
    }

    private void runningInfo(Request<RunningInfoHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().consumerGroup(), reply);
        if (bound != null) {
            boolean withStacks = request.header().jstackEnable();
            bound.instance
                    .loop()
                    .execute(() -> reply.ok(NoHeader.NONE, Payload.of(Json.write(bound.info.describe(withStacks)))));
        }
    }

    private void consumeDirectly(Request<ConsumeDirectlyHeader> request, Reply<NoHeader> reply) {
        Consumer bound = named(request.header().consumerGroup(), reply);
        if (bound == null) {
            return;
        }
        String brokerName = request.header().brokerName();
        try {
            List<MessageExt> messages = reader.read(
                    request.copyBody(),
                    brokerName == null ? request.from().remoteAddress() : brokerName,
                    new FailureSite(
                            request.from().remoteAddress(),
                            FailureSite.NONE,
                            1,
                            bound.instance.settings().callTimeoutMs()));
            if (messages.size() != 1) {
                reply.fail(ResponseCode.SYSTEM_ERROR, "wanted one message, got " + messages.size());
                return;
            }
            runDirectly(bound, messages.get(0), reply);
        } catch (ClientException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    private static void runDirectly(Consumer bound, MessageExt message, Reply<NoHeader> reply) {
        try {
            bound.threads.execute(() -> {
                byte[] body = Json.write(consume(bound, message));
                reply.ok(NoHeader.NONE, Payload.of(body));
            });
        } catch (RejectedExecutionException e) {
            reply.fail(ResponseCode.SYSTEM_BUSY, "the listener threads take no more calls: " + e.getMessage());
        }
    }

    private static ConsumeDirectlyResult consume(Consumer bound, MessageExt message) {
        long startedMs = bound.instance.clock().monotonicMs();
        String outcome;
        String remark = null;
        try {
            ConsumeResult result = bound.listener.runOne(message);
            outcome = result == ConsumeResult.SUCCESS ? "CR_SUCCESS" : "CR_LATER";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outcome = "CR_THROW_EXCEPTION";
            remark = e.toString();
        } catch (Exception e) {
            LOG.warn("event=direct_consume_failed group={} messageId={}", bound.group, message.messageId(), e);
            outcome = "CR_THROW_EXCEPTION";
            remark = e.toString();
        }
        long tookMs = bound.instance.clock().monotonicMs() - startedMs;
        return new ConsumeDirectlyResult(bound.assignments.work().isOrderly(), true, outcome, remark, tookMs);
    }
}
