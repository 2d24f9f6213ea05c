package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.ViewWorld;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ConsumeQueueTest {
    private final ViewWorld<ConsumeQueueView> world = QueueWorld.open(1, QueueWorld.SMALL);

    private ConsumeQueue queue(String topic, int queueId) {
        return Objects.requireNonNull(world.settle().find(topic, queueId));
    }

    private static List<Long> offsets(ConsumeQueue queue, long from, int max) {
        List<Long> seen = new ArrayList<>();
        queue.read(from, max, (offset, physical, size, tag) -> seen.add(offset));
        return seen;
    }

    @Test
    void entryHoldsPlaceSizeAndTagHashOfItsFrame() {
        long at = world.log().append(world.log().next("orders", 2).tag("paid").body(new byte[100]));
        List<Object> seen = new ArrayList<>();
        int examined = queue("orders", 2)
                .read(0, 10, (offset, physical, size, tag) -> seen.addAll(List.of(offset, physical, size, tag)));
        int frameBytes = (int) (world.log().end() - at);
        assertThat(examined).isEqualTo(1);
        assertThat(seen).isEqualTo(List.of(0L, at, frameBytes, (long) "paid".hashCode()));
    }

    @Test
    void tagHashIsThatOfJavaTextAlsoBeyondAscii() {
        world.log().append(world.log().next("orders", 0).tag("bezahlt-é-支付"));
        world.log().append(world.log().next("orders", 0));
        List<Long> tags = new ArrayList<>();
        queue("orders", 0).read(0, 10, (offset, physical, size, tag) -> tags.add(tag));
        assertThat(tags).isEqualTo(List.of((long) "bezahlt-é-支付".hashCode(), 0L));
    }

    @Test
    void queueThatNeverHeldAMessageIsUnknown() {
        world.log().append("orders", 1);
        assertThat(world.settle().find("orders", 0)).isNull();
        assertThat(world.view().find("orders", 7)).isNull();
        assertThat(world.view().find("orders", -1)).isNull();
        assertThat(world.view().find("nothing", 0)).isNull();
        assertThat(world.view().topics()).containsExactly("orders");
    }

    @Test
    void readOutsideOfTheQueueSeesNothing() {
        world.log().append("orders", 0);
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.read(1, 10, (o, p, s, t) -> true)).isZero();
        assertThat(queue.read(-1, 10, (o, p, s, t) -> true)).isZero();
        assertThat(queue.read(0, 0, (o, p, s, t) -> true)).isZero();
    }

    @Test
    void visitorEndsTheReadAfterTheEntryItHadEnoughAt() {
        for (int i = 0; i < 20; i++) {
            world.log().append("orders", 0);
        }
        List<Long> seen = new ArrayList<>();
        int examined = queue("orders", 0).read(3, 10, (offset, physical, size, tag) -> {
            seen.add(offset);
            return offset < 5;
        });
        assertThat(examined).isEqualTo(3);
        assertThat(seen).containsExactly(3L, 4L, 5L);
    }

    @Test
    void readGoesAcrossFilesAndBlocks() {
        for (int i = 0; i < 173; i++) {
            world.log().append("orders", 0);
            world.log().append("other", 0);
        }
        ConsumeQueue queue = queue("orders", 0);
        assertThat(offsets(queue, 0, 1000)).hasSize(173).startsWith(0L, 1L).endsWith(172L);
        assertThat(offsets(queue, 45, 60)).hasSize(60).startsWith(45L).endsWith(104L);
    }

    @Test
    void gapInTheQueueOffsetsIsPassedOverAndCounted() {
        world.log().append(TestFrame.of("orders", 0, 0));
        world.log().append(TestFrame.of("orders", 0, 30));
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.maxOffset()).isEqualTo(31);
        assertThat(offsets(queue, 0, 100)).containsExactly(0L, 30L);
        assertThat(queue.read(1, 10, (o, p, s, t) -> true))
                .as("to the end of the gap")
                .isEqualTo(29);
        assertThat(queue.read(0, 1, (o, p, s, t) -> true)).isEqualTo(30);
        assertThat(queue.read(0, 1, (o, p, s, t) -> false))
                .as("the visitor had enough")
                .isEqualTo(1);
    }

    @Test
    void gapOverSeveralFilesIsPassedOverInOneRead() {
        world.log().append(TestFrame.of("orders", 0, 0));
        world.log().append(TestFrame.of("orders", 0, 60_000));
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.read(0, 32, (o, p, s, t) -> true)).isEqualTo(60_000);
        assertThat(offsets(queue, 60_000, 32)).containsExactly(60_000L);
    }

    @Test
    void gapAfterALossCostsNoFilesAndIsPassedOverInOneRead() throws Exception {
        for (int i = 0; i < 60; i++) {
            world.log().append(TestFrame.of("orders", 0, i));
        }
        world.log().append(new QueueEnds("orders", Map.of(0, 5_000_000L)));
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.maxOffset()).isEqualTo(5_000_000);
        assertThat(queue.read(60, 32, (o, p, s, t) -> true)).isEqualTo(5_000_000 - 60);
        assertThat(queue.read(1_234_567, 32, (o, p, s, t) -> true)).isEqualTo(5_000_000 - 1_234_567);
        for (int i = 0; i < 100; i++) {
            world.log().append(TestFrame.of("orders", 0, 5_000_000 + i));
        }
        world.checkpoint();
        world.restart();
        assertThat(world.replayedBytes()).isZero();
        assertThat(offsets(queue("orders", 0), 59, 3)).containsExactly(59L);
        assertThat(offsets(queue("orders", 0), 70, 3)).isEmpty();
        assertThat(offsets(queue("orders", 0), 5_000_000, 200)).hasSize(100);
        assertThat(world.disk().list("consumequeue/orders/0")).hasSizeLessThanOrEqualTo(4);
        world.disk().delete("consumequeue/view.checkpoint");
        world.restart();
        assertThat(offsets(queue("orders", 0), 5_000_000, 200)).hasSize(100);
        assertThat(world.view().firstLiveOffset()).isPositive();
    }

    @Test
    void gapLongerThanOneReadIsPassedOverInSeveral() {
        world.log().append(TestFrame.of("orders", 0, 0));
        world.log().append(TestFrame.of("orders", 0, 5_000_000_000L));
        ConsumeQueue queue = queue("orders", 0);
        long at = 1;
        while (at < 5_000_000_000L) {
            int examined = queue.read(at, 32, (o, p, s, t) -> true);
            assertThat(examined).isPositive();
            at += examined;
        }
        assertThat(offsets(queue, 5_000_000_000L, 2)).containsExactly(5_000_000_000L);
    }

    private void fillSegment(String topic) {
        long end = world.log().end();
        while (world.log().end() < end + 70 * 1024) {
            world.log().append(world.log().next(topic, 0).body(new byte[900]));
        }
    }

    private long secondSegment() {
        return world.log().log().segments().get(1).startOffset();
    }

    @Test
    void gapThatIsTrimmedAwayWhileItsQueueLiesInMemoryDoesNotSpoilTheCheckpoint() throws Exception {
        world.log().append(TestFrame.of("orders", 0, 0));
        world.log().append(TestFrame.of("orders", 0, 5_000_000));
        fillSegment("other");
        world.retain(secondSegment());
        assertThat(queue("orders", 0).minOffset()).isEqualTo(5_000_001);
        world.log().append(TestFrame.of("orders", 0, 5_000_001));
        world.checkpoint();
        world.restart();
        assertThat(world.replayedBytes()).isZero();
        assertThat(queue("orders", 0).minOffset()).isEqualTo(5_000_001);
        assertThat(offsets(queue("orders", 0), 5_000_001, 5)).containsExactly(5_000_001L);
    }

    @Test
    void gapBelowTheOldestMessageIsKeptInMindWhileEntriesInFrontOfItLieInMemory() throws Exception {
        world.log().append(TestFrame.of("orders", 0, 0));
        world.log().append(TestFrame.of("orders", 0, 5_000_000));
        fillSegment("other");
        world.log().append(TestFrame.of("orders", 0, 5_000_001));
        world.retain(secondSegment());
        world.restart();
        assertThat(world.replayedBytes()).isZero();
        assertThat(queue("orders", 0).minOffset()).isEqualTo(5_000_001);
        assertThat(offsets(queue("orders", 0), 5_000_001, 5)).containsExactly(5_000_001L);
    }

    /** Messages in several files, all of it covered by a checkpoint. */
    private void fillFiles() {
        for (int i = 0; i < 230; i++) {
            world.log().append("orders", 0);
        }
        world.checkpoint();
    }

    private static String file(int index) {
        return QueueFiles.fileName("consumequeue/orders/0", (long) index * QueueWorld.SMALL.fileBytes());
    }

    @Test
    void entriesThatTheirFileHasLostFailTheReaderInsteadOfBeingPassedOver() throws Exception {
        fillFiles();
        byte[] bytes = world.disk().content(file(1));
        Arrays.fill(bytes, 10 * QueueEntry.SIZE_BYTES, 30 * QueueEntry.SIZE_BYTES, (byte) 0);
        world.restart();
        world.disk().put(file(1), bytes);
        ConsumeQueue queue = queue("orders", 0);
        assertThat(offsets(queue, 0, 60)).as("up to the damage").hasSize(60);
        for (long from : List.of(0L, 59L, 60L, 79L)) {
            assertThatThrownBy(() -> offsets(queue, from, 100))
                    .as("from %d", from)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("orders@0 has lost the entry at offset " + Math.max(60, from));
        }
        assertThat(offsets(queue, 80, 200)).as("behind the damage").hasSize(150);
        List<Long> behind = new ArrayList<>();
        queue.read(80, 1, (offset, physical, size, tag) -> behind.add(physical));
        assertThatThrownBy(() -> new TimeSearch(queue, (at, size) -> at).search(behind.get(0) - 1, Boundary.LOWER))
                .as("a search by time that looks there")
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void entriesThatTheirFileHasLostStayInSightWhenTheLogIsTrimmedThere() throws Exception {
        fillSegment("orders");
        world.checkpoint();
        long boundary = offsetAt(queue("orders", 0), secondSegment());
        world.restart();
        zero(boundary - 3, boundary + 3);
        world.retain(secondSegment());
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.minOffset()).isBetween(boundary - 3, boundary);
        assertThatThrownBy(() -> offsets(queue, queue.minOffset(), 10)).isInstanceOf(IllegalStateException.class);
    }

    private static long offsetAt(ConsumeQueue queue, long logOffset) {
        List<Long> at = new ArrayList<>();
        queue.read(0, 1000, (offset, physical, size, tag) -> physical < logOffset || !at.add(offset));
        return at.get(0);
    }

    private void zero(long from, long to) throws Exception {
        for (long offset = from; offset < to; offset++) {
            int perFile = QueueWorld.SMALL.entriesPerFile();
            String name = file((int) (offset / perFile));
            byte[] bytes = world.disk().content(name);
            int at = (int) (offset % perFile) * QueueEntry.SIZE_BYTES;
            Arrays.fill(bytes, at, at + QueueEntry.SIZE_BYTES, (byte) 0);
            world.disk().put(name, bytes);
        }
    }

    @Test
    void aFileOfAnyPlaceThatIsShorterLongerOrMissingMakesTheQueuesBuiltAnew() throws Exception {
        fillFiles();
        world.restart();
        assertThat(world.replayedBytes()).isZero();
        for (int index = 0; index < 4; index++) {
            for (int size : List.of(0, 20, QueueWorld.SMALL.fileBytes() - 1, QueueWorld.SMALL.fileBytes() + 1, -1)) {
                world.checkpoint();
                byte[] bytes = world.disk().content(file(index));
                world.disk().kill();
                if (size < 0) {
                    world.disk().delete(file(index));
                } else {
                    world.disk().put(file(index), Arrays.copyOf(bytes, size));
                }
                world.restart();
                assertThat(world.replayedBytes())
                        .as("file %d of %d bytes", index, size)
                        .isPositive();
                assertThat(offsets(queue("orders", 0), 0, 1000)).hasSize(230);
                world.log().append("other", 0);
            }
        }
    }

    @Test
    void queueBeginsWhereItsFirstFrameSaysSo() {
        world.log().append(TestFrame.of("orders", 0, 1_000_000));
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.minOffset()).isEqualTo(1_000_000);
        assertThat(queue.maxOffset()).isEqualTo(1_000_001);
        assertThat(offsets(queue, 1_000_000, 5)).containsExactly(1_000_000L);
    }

    @Test
    void fallingQueueOffsetIsABrokenInvariant() {
        world.log().append(TestFrame.of("orders", 0, 5));
        world.log().append(TestFrame.of("orders", 0, 5));
        assertThatThrownBy(world::settle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("orders@0")
                .hasMessageContaining("ends at 6");
    }

    @Test
    void endOfAnIdleQueueComesFromItsFact() {
        world.log().append("other", 0);
        world.log().append(new QueueEnds("orders", Map.of(3, 42L)));
        ConsumeQueue queue = queue("orders", 3);
        assertThat(queue.minOffset()).isEqualTo(42);
        assertThat(queue.maxOffset()).isEqualTo(42);
        world.log().append(TestFrame.of("orders", 3, 42));
        assertThat(offsets(queue("orders", 3), 42, 5)).containsExactly(42L);
    }

    @Test
    void deletedTopicIsGoneAndBeginsAtZeroAgain() {
        for (int i = 0; i < 60; i++) {
            world.log().append("orders", 0);
        }
        world.log().append(new TopicDeleted("orders"));
        assertThat(world.settle().find("orders", 0)).isNull();
        world.log().append(TestFrame.of("orders", 0, 0).tag("new"));
        ConsumeQueue queue = queue("orders", 0);
        assertThat(queue.maxOffset()).isEqualTo(1);
        world.checkpoint();
        for (int i = 1; i < 60; i++) {
            world.log().append(TestFrame.of("orders", 0, i).tag("new"));
        }
        world.checkpoint();
        List<Long> tags = new ArrayList<>();
        queue("orders", 0).read(0, 100, (o, p, s, tag) -> tags.add(tag));
        assertThat(tags).hasSize(60).containsOnly((long) "new".hashCode());
    }

    @Test
    void endOfAQueueThatWasStatedBeforeItsTopicWasDeletedBringsNothingBack() {
        world.log().append(TestFrame.of("orders", 0, 0));
        world.log().append(new TopicDeleted("orders"));
        world.log().append(new QueueEnds("orders", Map.of(0, 1L)));
        assertThat(world.settle().find("orders", 0)).isNull();
        world.log().append(new TopicChanged(TopicConfig.of("orders", 1, 6)));
        world.log().append(TestFrame.of("orders", 0, 0));
        world.checkpoint();
        world.restart();
        assertThat(queue("orders", 0).maxOffset()).isEqualTo(1);
    }

    @Test
    void deletionIsRememberedOverACheckpointUntilTheTopicIsCreatedAgain() {
        world.log().append(new TopicDeleted("orders"));
        world.log().append(new TopicDeleted("other"));
        world.log().append(new TopicChanged(TopicConfig.of("other", 1, 6)));
        world.checkpoint();
        world.restart();
        assertThat(world.replayedBytes()).isZero();
        assertThat(world.view().starts().isClosed("orders")).isTrue();
        assertThat(world.view().starts().isClosed("other")).isFalse();
    }

    @Test
    void arrivalsNameEachQueueOncePerPassWithItsNewRange() {
        List<String> arrivals = new ArrayList<>();
        world.view().onArrival((queue, from, to) -> arrivals.add(queue + " " + from + ".." + to));
        world.log().append("orders", 0);
        world.log().append("orders", 1);
        world.log().append("orders", 0);
        world.settle();
        world.log().append("orders", 0);
        world.settle();
        assertThat(arrivals).containsExactly("orders@0 0..2", "orders@1 0..1", "orders@0 2..3");
    }
}
