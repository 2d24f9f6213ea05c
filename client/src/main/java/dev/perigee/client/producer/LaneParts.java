package dev.perigee.client.producer;

import dev.perigee.client.send.SendCounters;
import dev.perigee.client.send.Sender;
import dev.perigee.client.work.CallbackMark;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import dev.perigee.remoting.call.Deadline;
import java.util.Map;
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
    /** The deadline of a send that begins now. */
    Deadline deadline() {
        return Deadline.after(clock, config.sendTimeoutMs());
    }

    /** The header of a unit for this queue. */
    SendMessageHeader header(MessageQueue queue, HeaderFields fields) {
        return new SendMessageHeader(
                config.group(),
                queue.topic(),
                SystemTopic.AUTO_CREATE,
                config.newTopicQueues(),
                queue.queueId(),
                fields.sysFlag(),
                fields.bornMs(),
                fields.flag(),
                fields.properties(),
                fields.reconsumeTimes(),
                false,
                fields.maxReconsumeTimes(),
                fields.isBatch(),
                queue.brokerName());
    }

    /**
     * What the header of a send says about its messages, whichever queue it goes to.
     *
     * @param sysFlag bits for the broker
     * @param bornMs when the message was made
     * @param flag the user's number; in a batch each entry has its own
     * @param properties of the message, or of the batch as a whole; null for none
     * @param reconsumeTimes how often the message was consumed in vain
     * @param maxReconsumeTimes how often it may be; −1 leaves it to the broker
     * @param isBatch whether the body is a batch
     */
    @Immutable
    record HeaderFields(
            int sysFlag,
            long bornMs,
            int flag,
            @Nullable PropertyText properties,
            int reconsumeTimes,
            int maxReconsumeTimes,
            boolean isBatch) {
        private static final int LEFT_TO_BROKER = -1;

        /** A broker reads the wait mode of a batch here only, not in the entries (message-format §5). */
        private static final PropertyText NOT_WAITING = PropertyText.of(Map.of(PropertyKey.WAIT_STORE, "false"));

        /** The fields of one message sent alone; on a retry topic the counts of its properties ride in the header too. */
        static HeaderFields ofMessage(Message message, int sysFlag, long bornMs, PropertyText properties) {
            boolean isRetry = TopicName.isRetry(message.topic());
            return new HeaderFields(
                    sysFlag,
                    bornMs,
                    message.flag(),
                    properties,
                    isRetry ? number(message, PropertyKey.RECONSUME_TIME, 0) : 0,
                    isRetry ? number(message, PropertyKey.MAX_RECONSUME_TIMES, LEFT_TO_BROKER) : LEFT_TO_BROKER,
                    false);
        }

        /** The fields of a batch whose messages all have this wait mode. */
        static HeaderFields ofBatch(long bornMs, boolean waitForStore) {
            return new HeaderFields(0, bornMs, 0, waitForStore ? null : NOT_WAITING, 0, LEFT_TO_BROKER, true);
        }

        private static int number(Message message, String property, int otherwise) {
            String text = message.property(property);
            try {
                return text == null ? otherwise : Integer.parseInt(text);
            } catch (NumberFormatException e) {
                return otherwise; // the property travels on as it is; the broker has the last word
            }
        }
    }
}
