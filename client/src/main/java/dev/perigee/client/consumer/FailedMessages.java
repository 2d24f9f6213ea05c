package dev.perigee.client.consumer;

import dev.perigee.client.error.Completion;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.listener.ConsumeCounters;
import dev.perigee.client.listener.FailurePolicy;
import dev.perigee.client.listener.RunningCalls;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives failed messages back to the broker (code 36), which delivers them again later, or sets them aside. What the broker
 * does not take has to be kept here; it is never sent to the retry topic as a message of its own.
 */
@ThreadSafe
final class FailedMessages {
    /** How long the broker may take. */
    static final long SEND_BACK_TIMEOUT_MS = 5_000;
    /** Messages on their way back at a time; one more is answered as not taken. */
    static final int MAX_OPEN = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(FailedMessages.class);

    private final ClientInstance instance;
    private final String group;
    private final @Nullable Integer maxReconsumeTimes;
    private final ConsumeCounters counters;
    private final RunningCalls open = new RunningCalls();

    /** @param maxReconsumeTimes retries of a message; below 0 for the group's limit, which the broker knows */
    FailedMessages(ClientInstance instance, String group, int maxReconsumeTimes, ConsumeCounters counters) {
        this.instance = instance;
        this.group = group;
        this.maxReconsumeTimes = maxReconsumeTimes < 0 ? null : maxReconsumeTimes;
        this.counters = counters;
    }

    /** The messages on their way back. */
    RunningCalls open() {
        return open;
    }

    /**
     * Gives whether the broker took the message back; never fails.
     *
     * @param delayLevel when it comes again, see {@link FailurePolicy#retryDelayLevel}
     */
    CompletableFuture<Boolean> sendBack(MessageExt message, int delayLevel) {
        return send(message, header(message, delayLevel, maxReconsumeTimes, null));
    }

    /**
     * Gives whether the broker took the message among the dead letters; never fails. Its retries were all made here, the
     * stored copy does not count them, so their number goes along.
     */
    CompletableFuture<Boolean> setAside(MessageExt message, int limit) {
        return send(message, header(message, FailurePolicy.ASIDE, limit, message.reconsumeTimes()));
    }

    private SendBackHeader header(
            MessageExt message, int delayLevel, @Nullable Integer limit, @Nullable Integer reconsumeTimes) {
        return new SendBackHeader(
                message.physicalOffset(),
                group,
                delayLevel,
                message.messageId(),
                message.topic(),
                false,
                limit,
                reconsumeTimes);
    }

    private CompletableFuture<Boolean> send(MessageExt message, SendBackHeader header) {
        Optional<String> address = instance.routes().masterAddress(message.brokerName());
        if (address.isEmpty() || open.count() >= MAX_OPEN) {
            return CompletableFuture.completedFuture(false);
        }
        open.begun();
        CompletableFuture<Boolean> taken = new CompletableFuture<>();
        Completion.on(
                instance.calls()
                        .demand(BrokerCalls.Question.of(
                                        address.get(), Rpcs.CONSUMER_SEND_MSG_BACK, header, message.topic())
                                .until(Deadline.after(instance.clock(), SEND_BACK_TIMEOUT_MS))),
                (answer, failure) -> {
                    if (failure == null) {
                        count(message, header);
                    } else {
                        LOG.info(
                                "event=send_back_refused queue={} queueOffset={} reason=\"{}\"",
                                message.queue(),
                                message.queueOffset(),
                                failure.getMessage());
                    }
                    taken.complete(failure == null);
                    open.ended();
                });
        return taken;
    }

    private void count(MessageExt message, SendBackHeader header) {
        ConsumeCounters.OfTopic topic = counters.of(message.topic());
        topic.sentBack.increment();
        if (header.delayLevel() < 0) {
            topic.deadLettered.increment();
        }
    }
}
