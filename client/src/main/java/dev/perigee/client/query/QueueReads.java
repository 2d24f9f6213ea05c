package dev.perigee.client.query;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.instance.BrokerCalls;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.header.offset.BoundaryType;
import dev.perigee.protocol.header.offset.SearchOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.pull.PullSysFlag;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Deadline;

/**
 * Reads queues as tools do: without a group's position being touched, and without waiting for messages. Blocking.
 *
 * @param instance the client
 */
@Immutable
public record QueueReads(ClientInstance instance) {
    /** Asks for messages from an offset on, at most so many and about so many bytes; the answer may be any. */
    public Answered<PullMessageResponse> pull(
            String address, MessageQueue queue, long fromOffset, Limits limits, Deadline deadline)
            throws ClientException {
        PullMessageHeader header = new PullMessageHeader(
                GroupName.TOOLS_CONSUMER,
                queue.topic(),
                queue.queueId(),
                fromOffset,
                limits.messages,
                PullSysFlag.SUBSCRIPTION,
                0,
                0,
                SubscriptionData.ALL,
                instance.clock().wallMs(),
                ExpressionType.TAG,
                limits.bytes,
                0,
                null,
                queue.brokerName());
        return ask(address, Rpcs.PULL_MESSAGE, header, queue.topic(), deadline);
    }

    /**
     * How much one pull gives.
     *
     * @param messages at most; brokers have a limit of their own, 32 by default
     * @param bytes about; one message comes whatever its size
     */
    @Immutable
    public record Limits(int messages, int bytes) {}

    /** The offset of the first message stored at this time or later, milliseconds since 1970. */
    long firstOffset(String address, MessageQueue queue, long storeTimeMs, Deadline deadline) throws ClientException {
        var answered = ask(
                address,
                Rpcs.SEARCH_OFFSET_BY_TIMESTAMP,
                new SearchOffsetHeader(queue.topic(), queue.queueId(), storeTimeMs, BoundaryType.LOWER),
                queue.topic(),
                deadline);
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return answered.answer().require().offset();
    }

    private <Q extends Record, R extends Record> Answered<R> ask(
            String address, Rpc<Q, R> rpc, Q header, String topic, Deadline deadline) throws ClientException {
        return Failures.await(
                instance.calls()
                        .ask(BrokerCalls.Question.of(address, rpc, header, topic)
                                .until(deadline)),
                rpc.toString(),
                () -> new FailureSite(address, topic, 1, deadline.remainingMs()));
    }
}
