package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.ViewWorld;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Queue files that are made and written elsewhere, sooner or later or not at all. */
class QueueWritingTest {
    private static final String FOLDER = "consumequeue/orders/0";
    /** Entries that take more than four times the memory the tails may have, with room for what is not full. */
    private static final int TOO_MANY = 230_000;

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final List<String> touched = new ArrayList<>();
    private boolean failOpening;
    private boolean failWriting;
    private final Disk watched = new ForwardingDisk(disk) {
        @Override
        public DiskFile open(String name) throws IOException {
            touched.add(name);
            boolean ofQueue = name.startsWith("consumequeue/") && !name.contains("checkpoint");
            if (failOpening && ofQueue) {
                throw new IOException("injected: " + name + " cannot be opened");
            }
            return new ForwardingFile(super.open(name)) {
                @Override
                public void write(ByteBuffer source, long position) throws IOException {
                    touched.add(name);
                    if (failWriting && ofQueue) {
                        throw new IOException("injected: " + name + " cannot be written");
                    }
                    super.write(source, position);
                }
            };
        }

        @Override
        public void makeFolder(String folder) throws IOException {
            touched.add(folder);
            super.makeFolder(folder);
        }
    };
    private final ViewWorld<ConsumeQueueView> world = new ViewWorld<>(
            disk, made -> new ConsumeQueueView(watched, QueueWorld.SMALL, made.frames()::storeTimestampMs), watched);
    private StandingTask writing = world.view().writeElsewhere(() -> {});
    private long sent;
    private long nowMs;

    private void send(long count) {
        for (long end = sent + count; sent < end; sent++) {
            world.log().append(TestFrame.of("orders", 0, sent));
        }
    }

    private ConsumeQueue queue() {
        return Objects.requireNonNull(world.settle().find("orders", 0));
    }

    private void write() {
        nowMs += 10_000;
        while (writing.step(nowMs)) {
            nowMs++;
        }
    }

    private void assertAllThere() {
        ConsumeQueue queue = queue();
        assertThat(queue.maxOffset()).isEqualTo(sent);
        long[] next = {0};
        for (long at = 0; at < sent; ) {
            at += queue.read(at, 10_000, (offset, physical, size, tag) -> offset == next[0]++);
        }
        assertThat(next[0]).isEqualTo(sent);
    }

    private void reopened() {
        writing = world.view().writeElsewhere(() -> {});
    }

    @Test
    void theViewLoopOpensMakesAndWritesNoFile() {
        send(500);
        world.settle();
        assertThat(touched).isEmpty();
        assertAllThere();
        write();
        assertThat(touched).contains(QueueFiles.fileName(FOLDER, 0));
        send(100);
        assertAllThere();
        assertThat(world.view().memoryBytes()).isLessThanOrEqualTo(QueueWorld.SMALL.memoryBytes());
    }

    @Test
    void aCheckpointTakesWhatIsInNoFileYetAlongAndCoversWhatIs() throws Exception {
        send(333);
        world.settle();
        writing.step(0);
        send(222);
        world.checkpoint();
        world.powerFailure();
        assertThat(world.replayedBytes()).isZero();
        assertAllThere();
        reopened();
        send(100);
        world.settle();
        write();
        world.checkpoint();
        world.powerFailure();
        assertThat(world.replayedBytes()).isZero();
        assertAllThere();
    }

    @Test
    void aFileThatIsMadeWhileACheckpointIsUnderWayIsNotTakenForDurable() throws Exception {
        send(300);
        world.settle();
        world.loop().requestCheckpoint();
        world.settle(); // frozen
        writing.step(0);
        while (world.hasPreparerWork()) {
            world.stepPreparer();
            send(40);
            world.settle();
            writing.step(0);
        }
        world.settle();
        assertThat(world.loop().durableOffset()).isPositive();
        world.powerFailure();
        assertAllThere();
    }

    @Test
    void aTopicThatIsDeletedBeforeItsFileIsMadeGetsNone() {
        send(300);
        world.settle();
        world.log().append(new TopicDeleted("orders"));
        world.settle();
        write();
        assertThat(touched).isEmpty();
        assertThat(world.view().memoryBytes()).isZero();
    }

    @Test
    void aTopicThatIsDeletedWhileItsFilesAreWrittenLeavesNothingBehind() throws Exception {
        send(300);
        world.settle();
        writing.step(0);
        send(300);
        world.settle();
        world.log().append(new TopicDeleted("orders"));
        world.settle();
        world.checkpoint();
        write();
        assertThat(disk.list("consumequeue/orders")).isEmpty();
        sent = 0;
        send(100); // the topic is made again, and takes over the folder
        world.settle();
        write();
        world.checkpoint();
        world.powerFailure();
        assertThat(world.replayedBytes()).isZero();
        assertAllThere();
    }

    @Test
    void whileFilesCannotBeMadeEntriesStayInMemoryAndAreReadThere() {
        failOpening = true;
        send(5_000);
        world.settle();
        write();
        assertAllThere();
        assertThat(world.view().isHeldUp()).as("not much yet").isFalse();
        failOpening = false;
        write();
        assertAllThere();
        assertThat(world.view().memoryBytes()).isLessThanOrEqualTo(QueueWorld.SMALL.memoryBytes());
    }

    @Test
    void filesThatStayUnwritableHoldTheViewsUpAndEndNothing() throws Exception {
        failWriting = true;
        send(TOO_MANY / 2);
        world.settle();
        write();
        assertThat(world.view().isHeldUp()).as("no more should be taken").isTrue();
        assertThat(world.loop().appliedOffset())
                .as("what was taken is served")
                .isEqualTo(world.log().end());
        send(TOO_MANY / 2);
        world.settle();
        long applied = world.loop().appliedOffset();
        assertThat(applied)
                .as("what does not fit into memory lies in the log")
                .isLessThan(world.log().end());
        write();
        world.settle();
        assertThat(world.loop().appliedOffset()).isEqualTo(applied);
        assertThat(world.loop().nextDeadlineMs())
                .as("it looks for room by itself")
                .isLessThan(Long.MAX_VALUE);
        ConsumeQueue queue = Objects.requireNonNull(world.view().find("orders", 0));
        assertThat(queue.read(queue.maxOffset() - 10, 100, (o, p, s, t) -> true))
                .isEqualTo(10);

        failWriting = false;
        write();
        assertThat(world.view().isHeldUp()).isFalse();
        while (world.loop().appliedOffset() < world.log().end()) {
            world.settle();
            write();
        }
        assertAllThere();
        world.checkpoint();
        world.powerFailure();
        assertThat(world.replayedBytes()).isZero();
        assertAllThere();
    }

    @Test
    void topicsDeletedMeanwhileDoNotMakeRoomThatMemoryDoesNotHave() {
        failWriting = true;
        send(TOO_MANY / 2);
        world.settle();
        write();
        world.log().append(new TopicDeleted("orders"));
        world.settle();
        assertThat(world.view().memoryBytes()).isZero();
        assertThat(world.view().isHeldUp())
                .as("their blocks still wait for the writer")
                .isTrue();
        failWriting = false;
        write();
        assertThat(world.view().isHeldUp()).isFalse();
    }

    @Test
    void aStartThatCannotWriteWhatItReplaysFailsByName() {
        send(TOO_MANY);
        failWriting = true;
        assertThatThrownBy(world::restart)
                .hasMessageContaining("cannot be written")
                .hasMessageContaining("from offset");
    }
}
