package dev.perigee.protocol.message;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stored message as a consumer or tool gets it.
 *
 * @param message topic, body (still compressed if {@link SysFlag#COMPRESSED} is set), user flag and properties
 * @param brokerName the broker it was read from
 * @param queueId its queue
 * @param queueOffset its place in the queue
 * @param physicalOffset its place in the broker's log
 * @param storeSizeBytes size of the stored frame
 * @param sysFlag bits of {@link SysFlag}
 * @param bornTimestampMs clock of the client that sent it
 * @param bornHost that client
 * @param storeTimestampMs clock of the broker that stored it
 * @param storeHost that broker
 * @param bodyCrc CRC-32 of the body as stored, without its top bit
 * @param reconsumeTimes failed deliveries so far
 * @param preparedTransactionOffset physical offset of the half message of a committed transaction, else 0
 */
public record MessageExt(
        Message message,
        String brokerName,
        int queueId,
        long queueOffset,
        long physicalOffset,
        int storeSizeBytes,
        int sysFlag,
        long bornTimestampMs,
        InetSocketAddress bornHost,
        long storeTimestampMs,
        InetSocketAddress storeHost,
        int bodyCrc,
        int reconsumeTimes,
        long preparedTransactionOffset) {

    /** The topic it was read from; a retry topic when it was delivered again. */
    public String topic() {
        return message.topic();
    }

    /** The body, still compressed if {@link #isCompressed()}. The array itself; it must not be changed. */
    public byte[] body() {
        return message.body();
    }

    /** The body as UTF-8 text; makes sense only when it is not compressed. */
    public String bodyText() {
        return message.bodyText();
    }

    /** The user's own number. */
    public int flag() {
        return message.flag();
    }

    /** All properties, reserved ones too; cannot be changed. */
    public Map<String, String> properties() {
        return message.properties();
    }

    /** The value of a property, reserved or not, or null. */
    public @Nullable String property(String name) {
        return message.property(name);
    }

    /** The tag, or null. */
    public @Nullable String tag() {
        return message.tag();
    }

    /** The index keys; empty when there are none. */
    public List<String> keys() {
        return message.keys();
    }

    /** The queue it was read from. */
    public MessageQueue queue() {
        return new MessageQueue(message.topic(), brokerName, queueId);
    }

    /** Whether the body is still compressed. */
    public boolean isCompressed() {
        return SysFlag.has(sysFlag, SysFlag.COMPRESSED);
    }

    /** The id that names its place. */
    public String offsetMessageId() {
        return new MessageId(storeHost, physicalOffset).text();
    }

    /** The id users know: the unique id if there is one, else the offset message id. */
    public String messageId() {
        String unique = message.uniqueId();
        return unique == null ? offsetMessageId() : unique;
    }

    /** This message with the inflated body; its compressed bit is cleared. */
    public MessageExt withInflatedBody(byte[] body) {
        return with(message.withBody(body), sysFlag & ~SysFlag.COMPRESSED, reconsumeTimes);
    }

    /** This message with another count of failed deliveries. */
    public MessageExt withReconsumeTimes(int times) {
        return with(message, sysFlag, times);
    }

    /** This message with other user-visible parts. */
    public MessageExt withMessage(Message changed) {
        return with(changed, sysFlag, reconsumeTimes);
    }

    private MessageExt with(Message changed, int newSysFlag, int newReconsumeTimes) {
        return new MessageExt(
                changed,
                brokerName,
                queueId,
                queueOffset,
                physicalOffset,
                storeSizeBytes,
                newSysFlag,
                bornTimestampMs,
                bornHost,
                storeTimestampMs,
                storeHost,
                bodyCrc,
                newReconsumeTimes,
                preparedTransactionOffset);
    }
}
