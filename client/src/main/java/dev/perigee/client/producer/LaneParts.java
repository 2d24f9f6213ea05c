package dev.perigee.client.producer;

import dev.perigee.client.send.SendCounters;
import dev.perigee.client.send.Sender;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.topic.SystemTopic;
import org.jspecify.annotations.Nullable;

/**
 * What every unit of a producer is made with.
 *
 * @param config the producer's settings
 * @param sender takes units to brokers
 * @param memory bounds what is on its way
 * @param counters count it
 * @param callbacks marks threads that run callbacks of this producer
 * @param clock the time
 */
@Immutable
record LaneParts(
        ProducerConfig config,
        Sender sender,
        SendMemory memory,
        SendCounters counters,
        CallbackMark callbacks,
        Clock clock) {
    /** The header of one message sent alone. */
    SendMessageHeader single(MessageQueue queue, int sysFlag, long bornMs, int flag, PropertyText properties) {
        return header(queue, sysFlag, bornMs, flag, properties, false);
    }

    /** The header of a batch. */
    SendMessageHeader batch(MessageQueue queue, long bornMs) {
        return header(queue, 0, bornMs, 0, null, true);
    }

    private SendMessageHeader header(
            MessageQueue queue,
            int sysFlag,
            long bornMs,
            int flag,
            @Nullable PropertyText properties,
            boolean isBatch) {
        return new SendMessageHeader(
                config.group(),
                queue.topic(),
                SystemTopic.AUTO_CREATE,
                config.newTopicQueues(),
                queue.queueId(),
                sysFlag,
                bornMs,
                flag,
                properties,
                0,
                false,
                -1,
                isBatch,
                queue.brokerName());
    }
}
