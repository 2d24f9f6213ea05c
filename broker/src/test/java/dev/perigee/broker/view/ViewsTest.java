package dev.perigee.broker.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.fact.Claims;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.GroupDeleted;
import dev.perigee.protocol.fact.OffsetsCommitted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A list of facts in, a question out; and a rebuilt view is equal to the live one. */
class ViewsTest {
    private static final int STEP = 1_000;

    private final List<Fact> log = new ArrayList<>();
    private final TopicView topics = new TopicView(Claims.NONE);
    private final GroupView groups = new GroupView(Claims.NONE);
    private final OffsetView offsets = new OffsetView(Claims.NONE);

    private void append(Fact fact) {
        log.add(fact);
        for (LogView view : List.of(topics, groups, offsets)) {
            apply(view, fact, (log.size() - 1) * (long) STEP);
        }
    }

    private static void apply(LogView view, Fact fact, long offset) {
        FrameDraft draft = FactCodec.fill(new FrameDraft(), fact);
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        view.apply(new LogEntry().wrap(frame.flip(), 0, offset));
        view.passEnded();
    }

    private static QueueCommit at(String group, String topic, int queueId, long offset) {
        return new QueueCommit(group, topic, queueId, offset);
    }

    private void commit(QueueCommit... entries) {
        append(OffsetsCommitted.changes(List.of(entries)));
    }

    @Test
    void topicsComeChangeAndGo() {
        append(new TopicChanged(TopicConfig.of("T", 4)));
        append(new TopicChanged(TopicConfig.of("T", 8)));
        append(new TopicChanged(TopicConfig.of("U", 1)));
        append(new TopicDeleted("U"));
        assertThat(topics.current().byName()).containsOnlyKeys("T");
        assertThat(topics.current().find("T")).isEqualTo(TopicConfig.of("T", 8));
        assertThat(topics.current().version().counter()).isEqualTo(4);
    }

    @Test
    void whatChangesAboutATopicOrAGroupIsToldWithWhatItWas() {
        List<String> told = new ArrayList<>();
        topics.onChange((before, after) -> {
            assertThat(topics.current().find(before.topicName())).isEqualTo(after);
            told.add(before.topicName() + before.readQueueNums() + "-"
                    + (after == null ? "gone" : after.readQueueNums()));
        });
        groups.onChange((before, after) ->
                told.add(before.groupName() + "-" + (after == null ? "gone" : after.consumeEnable())));
        append(new TopicChanged(TopicConfig.of("T", 4)));
        append(new TopicChanged(TopicConfig.of("T", 4)));
        assertThat(told).as("a new one and one that stays as it is").isEmpty();
        append(new TopicChanged(TopicConfig.of("T", 8)));
        append(new TopicDeleted("T"));
        append(new GroupChanged(SubscriptionGroupConfig.of("g"), TopicConfig.of("%RETRY%g", 1), List.of()));
        append(new GroupChanged(
                new SubscriptionGroupConfig(
                        "g", false, true, true, false, 1, 16, null, 0, 1, true, 0, 15, null, Map.of()),
                TopicConfig.of("%RETRY%g", 2),
                List.of()));
        append(new GroupDeleted("g", false));

        assertThat(told).containsExactly("T4-8", "T8-gone", "%RETRY%g1-2", "g-false", "g-gone");
    }

    @Test
    void aGroupBringsItsRetryTopicAndItsPins() {
        append(new GroupChanged(
                SubscriptionGroupConfig.of("g"),
                TopicConfig.of("%RETRY%g", 1),
                List.of(at("g", "T", OffsetView.PIN, 0), at("g", "T", 0, 7))));
        assertThat(groups.current().find("g")).isNotNull();
        assertThat(topics.current().find("%RETRY%g")).isNotNull();
        assertThat(offsets.find("g", "T", 0)).isEqualTo(7);
        assertThat(offsets.find("g", "T", 5)).isZero();
        assertThat(offsets.find("g", "U", 0)).isEqualTo(-1);
    }

    @Test
    void aPinDoesNotMoveAnOffset() {
        commit(at("g", "T", 0, 3));
        append(new GroupChanged(SubscriptionGroupConfig.of("g"), null, List.of(at("g", "T", 0, 9))));
        assertThat(offsets.find("g", "T", 0)).isEqualTo(3);
    }

    @Test
    void offsetsFoldByMaximumButAReset() {
        commit(at("g", "T", 0, 5));
        commit(at("g", "T", 0, 3));
        assertThat(offsets.find("g", "T", 0)).isEqualTo(5);
        append(OffsetsCommitted.reset(List.of(at("g", "T", 0, 2))));
        assertThat(offsets.find("g", "T", 0)).isEqualTo(2);
    }

    @Test
    void aTopicTakesItsOffsetsWithItAndAGroupOnlyWhenTold() {
        commit(at("g", "T", 0, 5), at("g", "U", 0, 6), at("h", "T", 0, 7));
        append(new TopicDeleted("T"));
        assertThat(offsets.find("g", "T", 0)).isEqualTo(-1);
        assertThat(offsets.find("h", "T", 0)).isEqualTo(-1);
        append(new GroupDeleted("g", false));
        assertThat(offsets.find("g", "U", 0)).isEqualTo(6);
        append(new GroupDeleted("g", true));
        assertThat(offsets.find("g", "U", 0)).isEqualTo(-1);
    }

    @Test
    void predefinedGroupsAlwaysExist() {
        assertThat(groups.current().find("TOOLS_CONSUMER")).isNotNull();
        append(new GroupDeleted("TOOLS_CONSUMER", true));
        assertThat(groups.current().find("TOOLS_CONSUMER")).isNotNull();
    }

    @Test
    void whatIsCarriedForwardIsEverythingThatIsKnown() {
        fill();
        long cut = log.size() * (long) STEP;
        assertThat(topics.firstLiveOffset()).isLessThan(cut);
        for (LogView view : List.of(topics, groups, offsets)) {
            List<Fact> carried = new ArrayList<>();
            view.carryForward(cut, carried::add);
            LogView fresh = emptyLike(view);
            for (int i = 0; i < carried.size(); i++) {
                apply(fresh, carried.get(i), cut + (long) i * STEP);
                apply(view, carried.get(i), cut + (long) i * STEP);
            }
            assertThat(fresh.fingerprint())
                    .as(view.name())
                    .isEqualTo(view.fingerprint())
                    .isNotEmpty();
            assertThat(view.firstLiveOffset()).as(view.name()).isGreaterThanOrEqualTo(cut);
        }
    }

    @Test
    void aRestoredViewIsEqualToTheLiveOne() throws Exception {
        fill();
        for (LogView view : List.of(topics, groups, offsets)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            view.freeze().write(new DataOutputStream(bytes));
            LogView fresh = emptyLike(view);
            fresh.restore(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
            assertThat(fresh.fingerprint())
                    .as(view.name())
                    .isEqualTo(view.fingerprint())
                    .isNotEmpty();
            assertThat(fresh.firstLiveOffset()).isEqualTo(view.firstLiveOffset());
        }
    }

    @Test
    void nothingIsCarriedOfWhatIsBeingDecidedAbout() {
        Claims busy = new Claims() {
            @Override
            public boolean isClaimed(String key) {
                return key.equals("topic:T");
            }

            @Override
            public boolean isAnyClaimed(Predicate<String> wanted) {
                return wanted.test("topic:T");
            }
        };
        TopicView claimedTopics = new TopicView(busy);
        OffsetView claimedOffsets = new OffsetView(busy);
        apply(claimedTopics, new TopicChanged(TopicConfig.of("T", 4)), 0);
        apply(claimedTopics, new TopicChanged(TopicConfig.of("U", 4)), STEP);
        apply(claimedOffsets, OffsetsCommitted.changes(List.of(at("g", "T", 0, 5))), 0);
        List<Fact> carried = new ArrayList<>();
        claimedTopics.carryForward(10 * STEP, carried::add);
        claimedOffsets.carryForward(10 * STEP, carried::add);
        assertThat(carried).containsExactly(new TopicChanged(TopicConfig.of("U", 4)));
    }

    @Test
    void offsetsAreCarriedWhileOnlyOtherThingsAreBeingDecidedAbout() {
        for (String claimed : List.of("offsets", "group:g", "topic:T", "timer:7")) {
            OffsetView view = new OffsetView(new Claims() {
                @Override
                public boolean isClaimed(String key) {
                    return key.equals(claimed);
                }

                @Override
                public boolean isAnyClaimed(Predicate<String> wanted) {
                    return wanted.test(claimed);
                }
            });
            apply(view, OffsetsCommitted.changes(List.of(at("g", "T", 0, 5))), 0);
            List<Fact> carried = new ArrayList<>();
            view.carryForward(STEP, carried::add);
            assertThat(carried).as(claimed).hasSize(claimed.equals("timer:7") ? 1 : 0);
        }
    }

    @Test
    void aRestatedTableCountsOnlyWithAllItsParts() {
        commit(at("g", "T", 0, 5)); // at 0
        commit(at("h", "T", 0, 6));
        long before = offsets.firstLiveOffset();
        append(OffsetsCommitted.table(List.of(at("g", "T", 0, 5)), 1, 3));
        append(OffsetsCommitted.table(List.of(), 3, 3)); // the second was refused
        assertThat(offsets.firstLiveOffset()).isEqualTo(before);

        append(OffsetsCommitted.table(List.of(at("g", "T", 0, 5)), 1, 2));
        append(OffsetsCommitted.table(List.of(at("h", "T", 0, 6)), 2, 2));
        assertThat(offsets.firstLiveOffset()).isEqualTo(4L * STEP);
    }

    private void fill() {
        append(new TopicChanged(TopicConfig.of("T", 4)));
        append(new TopicChanged(TopicConfig.of("Gone", 4)));
        append(new GroupChanged(
                SubscriptionGroupConfig.of("g"),
                TopicConfig.of("%RETRY%g", 1),
                List.of(at("g", "T", OffsetView.PIN, 0), at("g", "T", 0, 7), at("g", "Later", OffsetView.PIN, 0))));
        for (int i = 0; i < 2_500; i++) {
            commit(at("h" + i, "T", i % 4, i));
        }
        append(OffsetsCommitted.reset(List.of(at("h9", "T", 1, 1))));
        append(new TopicDeleted("Gone"));
    }

    private static LogView emptyLike(LogView view) {
        return switch (view.name()) {
            case "topics" -> new TopicView(Claims.NONE);
            case "groups" -> new GroupView(Claims.NONE);
            default -> new OffsetView(Claims.NONE);
        };
    }
}
