package dev.perigee.client.consumer;

import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives failed messages back to the broker (code 36), which delivers them again later, or sets them aside. */
@ThreadSafe
final class FailedMessages {
    /** How long the broker may take. */
    static final long SEND_BACK_TIMEOUT_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(FailedMessages.class);

    private final ClientInstance instance;
    private final String group;
    private final int maxReconsumeTimes;
    private final ConsumeCounters counters;

    FailedMessages(ClientInstance instance, String group, int maxReconsumeTimes, ConsumeCounters counters) {
        this.instance = instance;
        this.group = group;
        this.maxReconsumeTimes = maxReconsumeTimes;
        this.counters = counters;
    }

    /** Gives whether the broker took the message back; never fails. Where it did not, the message has to be kept here. */
    CompletableFuture<Boolean> sendBack(MessageExt message) {
        Optional<String> address = instance.routes().masterAddress(message.brokerName());
        if (address.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        SendBackHeader header = new SendBackHeader(
                message.physicalOffset(),
                group,
                0,
                message.messageId(),
                message.topic(),
                false,
                maxReconsumeTimes,
                null);
        return instance.calls()
                .demand(BrokerCalls.Question.of(address.get(), Rpcs.CONSUMER_SEND_MSG_BACK, header, message.topic())
                        .until(Deadline.after(instance.clock(), SEND_BACK_TIMEOUT_MS)))
                .handle((answer, failure) -> {
                    if (failure != null) {
                        LOG.info(
                                "event=send_back_refused queue={} queueOffset={} reason=\"{}\"",
                                message.queue(),
                                message.queueOffset(),
                                failure.getMessage());
                        return false;
                    }
                    counters.of(message.topic()).sentBack.increment();
                    return true;
                });
    }
}
