package dev.perigee.client.consumer;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.member.MemberRequests;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.client.queue.Rebalance;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ConsumeDirectlyResult;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
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
            Executor threads)
            implements MemberRequests.Member {
        @Override
        public void membersChanged() {
            instance.loop().execute(rebalance::start);
        }

        @Override
        public void reset(Map<MessageQueue, Long> positions) {
            assignments.reset(positions);
        }

        @Override
        public Collection<QueuePuller> pullers() {
            return assignments.pullers();
        }

        @Override
        public ConsumerRunningInfo describe(boolean withStacks) {
            return info.describe(withStacks);
        }
    }

    private final MessageReader reader = new MessageReader();
    private final MemberRequests<Consumer> requests = new MemberRequests<>();

    /** From now on requests are answered; before, they are refused. */
    void bind(Consumer asked) {
        requests.bind(asked);
    }

    HandlerTable table() {
        return requests.table()
                .on(Rpcs.CONSUME_MESSAGE_DIRECTLY, this::consumeDirectly)
                .build();
    }

    private void consumeDirectly(Request<ConsumeDirectlyHeader> request, Reply<NoHeader> reply) {
        Consumer bound = requests.named(request.header().consumerGroup(), reply);
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

    /** Whoever comes first: a thread that begins the call, or the end of the time for that. */
    private static void runDirectly(Consumer bound, MessageExt message, Reply<NoHeader> reply) {
        AtomicBoolean isDecided = new AtomicBoolean();
        long limitMs = bound.instance.settings().callTimeoutMs();
        bound.instance.loop().after(limitMs, () -> {
            if (isDecided.compareAndSet(false, true)) {
                reply.fail(
                        ResponseCode.SYSTEM_BUSY,
                        "no listener thread has taken the message within callTimeoutMs=" + limitMs + " ms");
            }
        });
        try {
            bound.threads.execute(() -> {
                if (isDecided.compareAndSet(false, true)) {
                    reply.guard(() -> reply.ok(NoHeader.NONE, Payload.of(Json.write(consume(bound, message)))));
                }
            });
        } catch (RuntimeException | Error e) { // the user's executor may throw anything; a second answer is ignored
            isDecided.set(true);
            reply.fail(ResponseCode.SYSTEM_BUSY, "the listener threads take no more calls: " + e);
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
        } catch (Exception | Error e) { // whatever it is, who asked is told
            LOG.warn("event=direct_consume_failed group={} messageId={}", bound.group, message.messageId(), e);
            outcome = "CR_THROW_EXCEPTION";
            remark = e.toString();
        }
        long tookMs = bound.instance.clock().monotonicMs() - startedMs;
        return new ConsumeDirectlyResult(bound.assignments.work().isOrderly(), true, outcome, remark, tookMs);
    }
}
