package dev.perigee.store.view;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.frame.KnownFacts;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One confirmed frame as a view sees it. A flyweight that is moved from frame to frame: what it answers is valid only
 * during {@link LogView#apply}; a view copies what it keeps. Parsed once per frame, without allocation as long as nobody
 * asks for a text.
 */
@OwnedBy("whoever wraps frames with it")
public final class LogEntry {
    private final MessageFrame frame = new MessageFrame();
    private final TopicInterner topics = new TopicInterner();
    private final PropertyScan properties = new PropertyScan();
    private byte[] topicBytes = new byte[256];

    private long offset;
    private LogTopic topic = LogTopic.of("");
    private @Nullable Fact fact;

    /** Creates an entry that stands for nothing until {@link #wrap} is called. */
    public LogEntry() {}

    /**
     * Moves to a whole, checked frame.
     *
     * @param buffer holds the frame; must not change while the entry stands for it
     * @param position where the frame begins in it
     * @param offset where the frame lies in the log
     * @return this
     */
    public LogEntry wrap(ByteBuffer buffer, int position, long offset) {
        this.offset = offset;
        frame.wrap(buffer, position);
        boolean longTopic = buffer.getInt(position + MessageFrame.MAGIC_AT) == MessageFrame.MAGIC_V2;
        int topicFrom = frame.bodyAt() + frame.bodyLength() + (longTopic ? Short.BYTES : Byte.BYTES);
        int topicSize = frame.propertiesAt() - Short.BYTES - topicFrom;
        if (topicSize > topicBytes.length) {
            topicBytes = new byte[topicSize];
        }
        buffer.get(topicFrom, topicBytes, 0, topicSize);
        topic = topics.intern(topicBytes, 0, topicSize);
        properties.scan(buffer, frame.propertiesAt(), frame.propertiesLength());
        fact = null;
        return this;
    }

    /** Where the frame lies in the log. */
    public long offset() {
        return offset;
    }

    /** The length of the frame in bytes. */
    public int sizeBytes() {
        return frame.sizeBytes();
    }

    /** The byte after it (exclusive). */
    public long endOffset() {
        return offset + frame.sizeBytes();
    }

    /** When it was stored, in log time. */
    public long storeTimestampMs() {
        return frame.storeTimestampMs();
    }

    /** The topic's name; the same object for every entry of the topic. */
    public String topic() {
        return topic.name();
    }

    /** The topic as it stands in the frame. */
    public LogTopic logTopic() {
        return topic;
    }

    /** The queue it belongs to. */
    public int queueId() {
        return frame.queueId();
    }

    /** Its place in the queue. */
    public long queueOffset() {
        return frame.queueOffset();
    }

    /** The hash of the tag as consume queues hold it; 0 without one. */
    public long tagHash() {
        return properties.tagHash();
    }

    /** Bits of {@link dev.perigee.protocol.message.SysFlag}. */
    public int sysFlag() {
        return frame.sysFlag();
    }

    /** The epoch in the frame's stamp; 0 for a frame without one. */
    public int epoch() {
        return frame.isStamped() ? frame.epoch() : 0;
    }

    /** The raw properties with the places of the indexed ones. */
    public PropertyScan properties() {
        return properties;
    }

    /** The value of a property, or null. */
    public @Nullable String property(String key) {
        return frame.property(key);
    }

    /** The whole frame, for what is not asked of every entry. */
    public MessageFrame frame() {
        return frame;
    }

    /** Whether this is a fact and no message. Cheap. */
    public boolean isFact() {
        return topic.isFacts();
    }

    /**
     * The fact in this entry, decoded once however many views ask; null when it is a message. A fact of a kind unknown to
     * this release is an {@link dev.perigee.protocol.fact.Fact.UnknownFact}.
     *
     * @throws IllegalStateException when a known fact is unreadable: the log does not hold what was written; or when it must be
     *     understood and is not (R22)
     */
    public @Nullable Fact fact() {
        if (fact == null && isFact()) {
            try {
                fact = FactCodec.decode(frame);
            } catch (BadBodyException e) {
                throw new IllegalStateException("fact at " + offset + " in " + SystemTopic.FACTS + " is unreadable", e);
            }
            KnownFacts.objection(fact).ifPresent(this::refuse);
        }
        return fact;
    }

    /** A start looks at what is new to it, and a replica at what it receives; this is what a view that is made anew may come to. */
    private void refuse(String what) {
        throw new IllegalStateException("the log has at offset " + offset + " " + what + ", and " + KnownFacts.known());
    }
}
