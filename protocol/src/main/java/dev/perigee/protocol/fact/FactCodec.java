package dev.perigee.protocol.fact;

import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.topic.SystemTopic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Facts as frames: topic {@link SystemTopic#FACTS}, queue 0, properties {@code FACT} (kind) and {@code MU} (1 when a reader
 * must know it), body JSON of the record.
 */
public final class FactCodec {
    /** The highest feature level whose facts are all known here. */
    public static final int LEVEL = 1;

    /** The only queue of the fact topic. */
    public static final int QUEUE_ID = 0;

    private static final byte[] TOPIC = SystemTopic.FACTS.getBytes(StandardCharsets.US_ASCII);
    private static final String YES = "1";
    private static final String NO = "0";
    private static final Map<String, Class<? extends Fact>> KINDS = Map.ofEntries(
            Map.entry(LogHead.KIND, LogHead.class),
            Map.entry(EpochStarted.KIND, EpochStarted.class),
            Map.entry(TopicChanged.KIND, TopicChanged.class),
            Map.entry(TopicDeleted.KIND, TopicDeleted.class),
            Map.entry(GroupChanged.KIND, GroupChanged.class),
            Map.entry(GroupDeleted.KIND, GroupDeleted.class),
            Map.entry(OffsetsCommitted.KIND, OffsetsCommitted.class),
            Map.entry(QueueEnds.KIND, QueueEnds.class),
            Map.entry(QueueFloor.KIND, QueueFloor.class),
            Map.entry(LogTrimmed.KIND, LogTrimmed.class),
            Map.entry(TimerClosed.KIND, TimerClosed.class),
            Map.entry(TimerShifted.KIND, TimerShifted.class),
            Map.entry(HalfRolledBack.KIND, HalfRolledBack.class),
            Map.entry(HalvesChecked.KIND, HalvesChecked.class),
            Map.entry(FeatureLevel.KIND, FeatureLevel.class),
            Map.entry(ReplicasInSync.KIND, ReplicasInSync.class),
            Map.entry(Fact.MembersChanged.KIND, Fact.MembersChanged.class));

    private FactCodec() {}

    /** Makes ready for the facts with which a leadership begins, so that nobody waits for that then. */
    public static void prepareForLeaders() {
        Json.prepare(EpochStarted.class);
        Json.prepare(LogHead.class);
        Json.prepare(Fact.MembersChanged.class);
    }

    /** The JSON text of a fact. */
    public static byte[] body(Fact fact) {
        return fact instanceof Fact.UnknownFact unknown
                ? unknown.body().getBytes(StandardCharsets.UTF_8)
                : Json.write(fact);
    }

    /** Fills in topic, queue, body and properties; hosts and born time are the caller's. */
    public static FrameDraft fill(FrameDraft draft, Fact fact) {
        PropertyText properties = PropertyText.ofUtf8(PropertyEdit.encode(
                PropertyKey.FACT, fact.kind(), PropertyKey.MUST_UNDERSTAND, fact.mustUnderstand() ? YES : NO));
        return draft.topic(TOPIC)
                .queueId(QUEUE_ID)
                .flag(0)
                .sysFlag(0)
                .reconsumeTimes(0)
                .preparedTransactionOffset(0)
                .body(ByteBuffer.wrap(body(fact)))
                .properties(properties);
    }

    /** Whether the frame holds a fact. */
    public static boolean isFact(MessageFrame frame) {
        return frame.hasTopic(SystemTopic.FACTS);
    }

    /**
     * The fact in a frame; null when it is an ordinary message. An unknown kind gives an {@link Fact.UnknownFact}.
     *
     * @throws BadBodyException when a known fact is unreadable
     */
    public static @Nullable Fact decode(MessageFrame frame) throws BadBodyException {
        if (!isFact(frame)) {
            return null;
        }
        byte[] body = new byte[frame.bodyLength()];
        frame.buffer().get(frame.bodyAt(), body);
        String kind = frame.property(PropertyKey.FACT);
        Class<? extends Fact> type = kind == null ? null : KINDS.get(kind);
        if (type != null) {
            return Json.read(body, type);
        }
        boolean mustUnderstand = !NO.equals(frame.property(PropertyKey.MUST_UNDERSTAND));
        return new Fact.UnknownFact(kind == null ? "" : kind, mustUnderstand, new String(body, StandardCharsets.UTF_8));
    }
}
