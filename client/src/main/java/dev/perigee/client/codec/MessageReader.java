package dev.perigee.client.codec;

import dev.perigee.client.error.CodecAbsentException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the body of an answer into messages with inflated bodies.
 *
 * @param bodies inflates
 */
@Immutable
public record MessageReader(BodyCodec bodies) {
    private static final Logger LOG = LoggerFactory.getLogger(MessageReader.class);

    /** A reader with the default limit of inflated bodies. */
    public MessageReader() {
        this(new BodyCodec(BodyCodec.DEFAULT_MAX_INFLATED_BYTES));
    }

    /**
     * Reads all messages of a body.
     *
     * @param brokerName the broker they came from
     * @param site who gave the bytes and how they were got, for the text of failures
     * @throws MalformedAnswerException when the bytes are no messages
     * @throws CodecAbsentException when a body needs a library that is not on the class path
     */
    public List<MessageExt> read(byte[] body, String brokerName, FailureSite site)
            throws MalformedAnswerException, CodecAbsentException {
        List<MessageExt> messages = stored(body, brokerName, site);
        for (int i = 0; i < messages.size(); i++) {
            MessageExt message = messages.get(i);
            if (message.isCompressed()) {
                messages.set(i, inflated(message, site));
            }
        }
        return messages;
    }

    /**
     * Reads all messages of a body and leaves theirs as they are stored, compressed or not.
     *
     * @param brokerName the broker they came from
     * @param site who gave the bytes and how they were got, for the text of failures
     * @throws MalformedAnswerException when the bytes are no messages
     */
    public List<MessageExt> stored(byte[] body, String brokerName, FailureSite site) throws MalformedAnswerException {
        try {
            return MessageDecoder.decodeAll(ByteBuffer.wrap(body), brokerName);
        } catch (MalformedMessageException e) {
            throw new MalformedAnswerException(String.valueOf(e.getMessage()), site, e);
        }
    }

    /**
     * For tools, which show what is there: the message with its body inflated; when that cannot be, as it is stored and still
     * flagged compressed.
     */
    public MessageExt inflatedOrStored(MessageExt message) {
        if (!message.isCompressed()) {
            return message;
        }
        try {
            return inflated(message, FailureSite.untried(message.topic(), 0));
        } catch (MalformedAnswerException | CodecAbsentException e) {
            LOG.debug("event=body_not_inflated message={} reason=\"{}\"", message.offsetMessageId(), e.getMessage());
            return message;
        }
    }

    private MessageExt inflated(MessageExt message, FailureSite site)
            throws MalformedAnswerException, CodecAbsentException {
        CompressionType type = CompressionType.of(message.sysFlag());
        if (type == null) {
            throw new MalformedAnswerException("unknown compression sysFlag=" + message.sysFlag(), site);
        }
        return message.withInflatedBody(bodies.inflate(type, message.body(), site));
    }
}
