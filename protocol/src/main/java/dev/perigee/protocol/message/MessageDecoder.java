package dev.perigee.protocol.message;

import dev.perigee.protocol.property.PropertyKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns frames into messages, on the side of clients and tools. */
public final class MessageDecoder {
    private MessageDecoder() {}

    /**
     * Decodes all frames between position and limit. Body CRCs are not computed; bodies stay compressed.
     *
     * @param brokerName the broker the bytes came from
     * @throws MalformedMessageException when the bytes are not whole frames
     */
    public static List<MessageExt> decodeAll(ByteBuffer frames, String brokerName) throws MalformedMessageException {
        List<MessageExt> messages = new ArrayList<>();
        MessageFrame frame = new MessageFrame();
        int at = frames.position();
        while (at < frames.limit()) {
            FrameCheck check = checkLengths(frames, at, frames.limit() - at);
            if (check != FrameCheck.SOUND) {
                throw new MalformedMessageException("no message at byte " + at + ": " + check);
            }
            frame.wrap(frames, at);
            messages.add(decode(frame, brokerName));
            at += frame.sizeBytes();
        }
        return messages;
    }

    /** Decodes one frame of sound lengths. The stamp is left out of the properties. */
    public static MessageExt decode(MessageFrame frame, String brokerName) {
        byte[] body = new byte[frame.bodyLength()];
        frame.buffer().get(frame.bodyAt(), body);
        Map<String, String> properties = frame.properties();
        properties.remove(PropertyKey.STAMP);
        return new MessageExt(
                new Message(frame.topic(), body, frame.flag(), properties),
                brokerName,
                frame.queueId(),
                frame.queueOffset(),
                frame.physicalOffset(),
                frame.sizeBytes(),
                frame.sysFlag(),
                frame.bornTimestampMs(),
                frame.bornHost(),
                frame.storeTimestampMs(),
                frame.storeHost(),
                frame.bodyCrc(),
                frame.reconsumeTimes(),
                frame.preparedTransactionOffset());
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
