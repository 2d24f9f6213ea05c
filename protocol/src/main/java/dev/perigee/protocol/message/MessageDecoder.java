package dev.perigee.protocol.message;

import dev.perigee.loop.OwnedBy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns frames into messages, on the side of clients and tools. */
@OwnedBy("one thread at a time")
public final class MessageDecoder {
    private final String brokerName;
    private final MessageFrame frame = new MessageFrame();
    private String topic = "";
    private long bornBytes;
    private @Nullable InetSocketAddress born;
    private long storeBytes;
    private @Nullable InetSocketAddress store;

    private MessageDecoder(String brokerName) {
        this.brokerName = brokerName;
    }

    /**
     * Decodes all frames between position and limit. Body CRCs are not computed; bodies stay compressed; properties are
     * decoded when somebody asks for them.
     *
     * @param brokerName the broker the bytes came from
     * @throws MalformedMessageException when the bytes are not whole frames
     */
    public static List<MessageExt> decodeAll(ByteBuffer frames, String brokerName) throws MalformedMessageException {
        List<MessageExt> messages = new ArrayList<>();
        MessageDecoder decoder = new MessageDecoder(brokerName);
        int at = frames.position();
        while (at < frames.limit()) {
            FrameCheck check = checkLengths(frames, at, frames.limit() - at);
            if (check != FrameCheck.SOUND) {
                throw new MalformedMessageException("no message at byte " + at + ": " + check);
            }
            decoder.frame.wrap(frames, at);
            messages.add(decoder.decode(decoder.frame));
            at += decoder.frame.sizeBytes();
        }
        return messages;
    }

    /** Decodes one frame of sound lengths. The stamp is left out of the properties. */
    public static MessageExt decode(MessageFrame frame, String brokerName) {
        return new MessageDecoder(brokerName).decode(frame);
    }

    private MessageExt decode(MessageFrame next) {
        byte[] body = new byte[next.bodyLength()];
        next.buffer().get(next.bodyAt(), body);
        if (!next.hasTopic(topic)) {
            topic = next.topic();
        }
        return new MessageExt(
                new Message(topic, body, next.flag(), next.propertyText()),
                brokerName,
                next.queueId(),
                next.queueOffset(),
                next.physicalOffset(),
                next.sizeBytes(),
                next.sysFlag(),
                next.bornTimestampMs(),
                bornHost(next),
                next.storeTimestampMs(),
                storeHost(next),
                next.bodyCrc(),
                next.reconsumeTimes(),
                next.preparedTransactionOffset());
    }

    /** Neighbours mostly have one sender and one broker: the object of the frame before is used again. */
    private InetSocketAddress bornHost(MessageFrame next) {
        if (SysFlag.has(next.sysFlag(), SysFlag.BORN_HOST_V6)) {
            return next.bornHost();
        }
        long bytes = next.buffer().getLong(next.position() + MessageFrame.BORN_HOST_AT);
        InetSocketAddress known = born;
        if (known == null || bytes != bornBytes) {
            known = next.bornHost();
            born = known;
            bornBytes = bytes;
        }
        return known;
    }

    private InetSocketAddress storeHost(MessageFrame next) {
        if (SysFlag.has(next.sysFlag(), SysFlag.STORE_HOST_V6)) {
            return next.storeHost();
        }
        int at = next.position() + MessageFrame.storeTimestampAt(next.sysFlag()) + Long.BYTES;
        long bytes = next.buffer().getLong(at);
        InetSocketAddress known = store;
        if (known == null || bytes != storeBytes) {
            known = next.storeHost();
            store = known;
            storeBytes = bytes;
        }
        return known;
    }

    private static FrameCheck checkLengths(ByteBuffer buffer, int at, int available) {
        if (available < MessageFrame.BLANK_BYTES) {
            return FrameCheck.CUT_OFF;
        }
        int magic = buffer.getInt(at + MessageFrame.MAGIC_AT);
        return magic == MessageFrame.MAGIC_V1 || magic == MessageFrame.MAGIC_V2
                ? FrameCheck.lengths(buffer, at, available, magic)
                : FrameCheck.BAD_MAGIC;
    }
}
