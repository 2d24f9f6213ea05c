package dev.perigee.protocol.fact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.Fact.MembersChanged;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FactCodecTest {
    private static final MembersChanged.GroupMember N0 = new MembersChanged.GroupMember("n0", "a0", "host0:1");
    private static final MembersChanged.GroupMember N1 = new MembersChanged.GroupMember("n1", "a1", "host1:1");

    static Stream<Fact> facts() {
        TopicConfig topic = new TopicConfig(
                "t", 1, 2, 6, dev.perigee.protocol.topic.TopicFilterType.MULTI_TAG, 3, true, Map.of("a", "b"));
        return Stream.of(
                new LogHead("log", 3, "epoch", 1L << 40, List.of("n0"), 1 << 30, null, null, null),
                new LogHead(
                        "log",
                        3,
                        "epoch",
                        1L << 40,
                        List.of("n0"),
                        1 << 30,
                        new LogHead.InSyncTold(List.of(new ReplicasInSync.InSyncMember(1, "ab")), 77),
                        2,
                        List.of(
                                new LogHead.MembersTold(List.of(N0), List.of(), 88),
                                new LogHead.MembersTold(List.of(N0), List.of(N1), 99))),
                new MembersChanged(List.of(N0), List.of(N1)),
                new EpochStarted(7, "id"),
                new TopicChanged(topic),
                new TopicDeleted("t"),
                new GroupChanged(SubscriptionGroupConfig.of("g"), null, List.of()),
                new GroupChanged(
                        SubscriptionGroupConfig.of("g"), topic, List.of(new QueueCommit("g", "t", 3, Long.MAX_VALUE))),
                new GroupDeleted("g", true),
                OffsetsCommitted.changes(List.of(new QueueCommit("g", "t", 0, 5), new QueueCommit("g", "u", 1, 0))),
                OffsetsCommitted.reset(List.of(new QueueCommit("g", "t", 0, 5))),
                OffsetsCommitted.table(List.of(), 2, 2),
                new QueueEnds("t", Map.of(0, 5L, 11, 1L << 33)),
                new QueueFloor(1L << 40),
                new LogTrimmed(99),
                new FeatureLevel(1),
                new ReplicasInSync(
                        List.of(new ReplicasInSync.InSyncMember(1, "ab12"), new ReplicasInSync.InSyncMember(2, "cd"))),
                new TimerClosed(List.of(new TimerClosed.TimerRef(1L << 41, 1L << 33, 77, -1)), "topic t is gone", true),
                new TimerShifted(-3_600_000, 1L << 41),
                new HalfRolledBack(
                        List.of(new HalfRef(1L << 40, 1L << 41, 300, 7, 1L << 42, 15, 1L << 41, 1L << 43)),
                        "asked for"),
                new HalvesChecked(List.of(new HalfRef(0, 0, 300, 0, 5, 0, 1, 0)), 1L << 42, true, 1L << 41),
                new Fact.UnknownFact("NEWER", false, "{\"x\":1}"),
                new Fact.UnknownFact("NEWEST", true, "no json"));
    }

    private static MessageFrame frame(Fact fact) {
        return frame(FactCodec.fill(new FrameDraft(), fact));
    }

    private static MessageFrame frame(FrameDraft draft) {
        ByteBuffer out = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(out);
        return new MessageFrame().wrap(out, 0);
    }

    @ParameterizedTest
    @MethodSource("facts")
    void keepsEveryFactThroughARoundTrip(Fact fact) throws Exception {
        MessageFrame frame = frame(fact);
        assertThat(frame.topic()).isEqualTo(SystemTopic.FACTS);
        assertThat(frame.property("FACT")).isEqualTo(fact.kind());
        assertThat(FactCodec.decode(frame)).isEqualTo(fact);
    }

    @Test
    void testsEveryKindThereIs() {
        assertThat(facts().map(Object::getClass).distinct().toList())
                .hasSameSizeAs(Fact.class.getPermittedSubclasses());
    }

    @Test
    void tellsPartsOfATable() {
        assertThat(OffsetsCommitted.table(List.of(), 1, 2).fullTable()).isTrue();
        assertThat(OffsetsCommitted.table(List.of(), 1, 2).lastPart()).isFalse();
        assertThat(OffsetsCommitted.table(List.of(), 2, 2).lastPart()).isTrue();
        assertThat(OffsetsCommitted.changes(List.of()).fullTable()).isFalse();
    }

    @Test
    void seesNoFactInAnOrdinaryMessage() throws Exception {
        assertThat(FactCodec.decode(frame(new FrameDraft().topic("t".getBytes(StandardCharsets.UTF_8)))))
                .isNull();
    }

    @Test
    void reportsAKnownFactThatIsUnreadable() {
        FrameDraft draft = FactCodec.fill(new FrameDraft(), new LogTrimmed(1));
        draft.body(ByteBuffer.wrap("{oops".getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() -> FactCodec.decode(frame(draft))).isInstanceOf(BadBodyException.class);
    }

    @Test
    void saysWhoBelongsToAGroupInPlainWords() {
        assertThat(new String(FactCodec.body(new MembersChanged(List.of(N0), List.of(N1))), StandardCharsets.UTF_8))
                .isEqualTo("{\"learners\":[{\"address\":\"host1:1\",\"id\":\"n1\",\"nodeId\":\"a1\"}],"
                        + "\"voters\":[{\"address\":\"host0:1\",\"id\":\"n0\",\"nodeId\":\"a0\"}]}");
    }

    /** A head of a broker that is in no group has the bytes that it had before there were any. */
    @Test
    void aHeadOutsideOfAGroupSaysNothingOfOne() {
        LogHead head = new LogHead("log", 3, "epoch", 7, List.of(), 1 << 30, null, null, null);
        assertThat(new String(FactCodec.body(head), StandardCharsets.UTF_8)).doesNotContain("group");
    }

    @Test
    void writesShortNamesForOffsets() {
        assertThat(new String(
                        FactCodec.body(OffsetsCommitted.changes(List.of(new QueueCommit("g", "t", 0, 5)))),
                        StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"entries\":[{\"g\":\"g\",\"o\":5,\"q\":0,\"t\":\"t\"}],\"part\":0,\"parts\":0,\"reset\":false}");
    }

    @Test
    void replicasInSyncAreEqualWhenIdAndFolderAre() {
        ReplicasInSync.InSyncMember one = new ReplicasInSync.InSyncMember(1, "ab");

        assertThat(one)
                .isEqualTo(new ReplicasInSync.InSyncMember(1, "ab"))
                .hasSameHashCodeAs(new ReplicasInSync.InSyncMember(1, "ab"))
                .isNotEqualTo(new ReplicasInSync.InSyncMember(2, "ab"))
                .isNotEqualTo(new ReplicasInSync.InSyncMember(1, "cd"));
    }
}
