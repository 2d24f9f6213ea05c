package dev.perigee.protocol.message;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The parts of a frame that is about to be written. Reusable; keep one per event loop. Set all parts, ask {@link
 * #sizeBytes} to reserve room, then {@link #writeTo}. Queue offset, physical offset, store timestamp and stamp are left
 * for the log loop to patch.
 *
 * <p>All arrays and buffers are borrowed until {@link #writeTo} returns.
 */
@OwnedBy("one thread at a time")
public final class FrameDraft {
    private static final byte PAIR_END = 2;
    private static final byte[] NO_BYTES = {};
    private static final byte[] NO_HOST = new byte[HostBytes.V4_BYTES];

    private byte[] topic = NO_BYTES;
    private int queueId;
    private int flag;
    private int sysFlag;
    private long bornTimestampMs;
    private byte[] bornHost = NO_HOST;
    private byte[] storeHost = NO_HOST;
    private int reconsumeTimes;
    private long preparedTransactionOffset;
    private ByteBuffer body = ByteBuffer.wrap(NO_BYTES);
    private byte[] properties = NO_BYTES;
    private int propertiesLength;

    /**
     * Takes everything over from a stored frame but its properties, which are empty afterwards. Borrows the body: the
     * frame's buffer must stay until {@link #writeTo} returns.
     */
    public FrameDraft like(MessageFrame frame) {
        int sysFlagThere = frame.sysFlag();
        int bornHostBytes = SysFlag.has(sysFlagThere, SysFlag.BORN_HOST_V6) ? HostBytes.V6_BYTES : HostBytes.V4_BYTES;
        int storeHostBytes = SysFlag.has(sysFlagThere, SysFlag.STORE_HOST_V6) ? HostBytes.V6_BYTES : HostBytes.V4_BYTES;
        int bornHostAt = frame.position() + MessageFrame.BORN_HOST_AT;
        return topic(frame.topic().getBytes(StandardCharsets.UTF_8))
                .queueId(frame.queueId())
                .flag(frame.flag())
                .sysFlag(sysFlagThere)
                .bornTimestampMs(frame.bornTimestampMs())
                .bornHost(bytes(frame.buffer(), bornHostAt, bornHostBytes))
                .storeHost(bytes(frame.buffer(), bornHostAt + bornHostBytes + Long.BYTES, storeHostBytes))
                .reconsumeTimes(frame.reconsumeTimes())
                .preparedTransactionOffset(frame.preparedTransactionOffset())
                .body(frame.body())
                .properties(PropertyText.EMPTY);
    }

    private static byte[] bytes(ByteBuffer source, int from, int size) {
        byte[] copy = new byte[size];
        source.get(from, copy);
        return copy;
    }

    /** The topic in UTF-8. */
    public FrameDraft topic(byte[] utf8) {
        this.topic = utf8;
        return this;
    }

    /** The queue; 0 and above. */
    public FrameDraft queueId(int newQueueId) {
        this.queueId = newQueueId;
        return this;
    }

    /** The user's own number. */
    public FrameDraft flag(int newFlag) {
        this.flag = newFlag;
        return this;
    }

    /** Bits of {@link SysFlag}; those of the host versions are set by the hosts. */
    public FrameDraft sysFlag(int newSysFlag) {
        this.sysFlag = newSysFlag & ~(SysFlag.BORN_HOST_V6 | SysFlag.STORE_HOST_V6);
        return this;
    }

    /** When it was sent, by the wall clock of its sender. */
    public FrameDraft bornTimestampMs(long timestampMs) {
        this.bornTimestampMs = timestampMs;
        return this;
    }

    /** The sender, encoded by {@link HostBytes}. */
    public FrameDraft bornHost(byte[] host) {
        this.bornHost = host;
        return this;
    }

    /** The broker, encoded by {@link HostBytes}. */
    public FrameDraft storeHost(byte[] host) {
        this.storeHost = host;
        return this;
    }

    /** Failed deliveries so far. */
    public FrameDraft reconsumeTimes(int times) {
        this.reconsumeTimes = times;
        return this;
    }

    /** Physical offset of the half message of a committed transaction, else 0. */
    public FrameDraft preparedTransactionOffset(long offset) {
        this.preparedTransactionOffset = offset;
        return this;
    }

    /** The body, from position to limit; its position is not moved. */
    public FrameDraft body(ByteBuffer newBody) {
        this.body = newBody;
        return this;
    }

    /** The properties as built so far, borrowed: a later change of them spoils the frame. */
    public FrameDraft properties(PropertyEdit edit) {
        this.properties = edit.array();
        this.propertiesLength = edit.sizeBytes();
        return this;
    }

    /** The properties as a client sent them, borrowed. */
    public FrameDraft properties(PropertyText text) {
        this.properties = text.toByteArray();
        this.propertiesLength = text.sizeBytes();
        return this;
    }

    /** Encoded bytes of the properties with the stamp; above {@link MessageProperties#MAX_BYTES} no frame can be made. */
    public int storedPropertiesBytes() {
        return propertiesLength + (needsPairEnd() ? 1 : 0) + FrameStamp.BYTES;
    }

    /** Size of the frame these parts make. */
    public int sizeBytes() {
        return MessageFrame.bodyLengthAt(fullSysFlag())
                + Integer.BYTES
                + body.remaining()
                + (isV2() ? Short.BYTES : Byte.BYTES)
                + topic.length
                + Short.BYTES
                + storedPropertiesBytes();
    }

    /**
     * Writes the frame at the buffer's position, which moves behind it.
     *
     * @throws IllegalArgumentException when topic or properties are too long for a frame; nothing is written then
     */
    public void writeTo(ByteBuffer out) {
        int propertiesBytes = storedPropertiesBytes();
        if (propertiesBytes > MessageProperties.MAX_BYTES || topic.length == 0 || topic.length > Short.MAX_VALUE) {
            throw new IllegalArgumentException("topic of " + topic.length + " and properties of " + propertiesBytes
                    + " bytes, limits " + Short.MAX_VALUE + " and " + MessageProperties.MAX_BYTES);
        }
        out.putInt(sizeBytes());
        out.putInt(isV2() ? MessageFrame.MAGIC_V2 : MessageFrame.MAGIC_V1);
        out.putInt(FrameCheck.bodyCrc(body.duplicate()));
        out.putInt(queueId);
        out.putInt(flag);
        out.putLong(0); // queue offset
        out.putLong(0); // physical offset
        out.putInt(fullSysFlag());
        out.putLong(bornTimestampMs);
        out.put(bornHost);
        out.putLong(0); // store timestamp
        out.put(storeHost);
        out.putInt(reconsumeTimes);
        out.putLong(preparedTransactionOffset);
        out.putInt(body.remaining());
        out.put(body.duplicate());
        if (isV2()) {
            out.putShort((short) topic.length);
        } else {
            out.put((byte) topic.length);
        }
        out.put(topic);
        out.putShort((short) propertiesBytes);
        out.put(properties, 0, propertiesLength);
        if (needsPairEnd()) {
            out.put(PAIR_END);
        }
        FrameStamp.reserve(out);
    }

    private boolean isV2() {
        return topic.length > MessageFrame.MAX_V1_TOPIC_BYTES;
    }

    private boolean needsPairEnd() {
        return propertiesLength > 0 && properties[propertiesLength - 1] != PAIR_END;
    }

    private int fullSysFlag() {
        return sysFlag
                | (bornHost.length == HostBytes.V6_BYTES ? SysFlag.BORN_HOST_V6 : 0)
                | (storeHost.length == HostBytes.V6_BYTES ? SysFlag.STORE_HOST_V6 : 0);
    }
}
