package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.OffsetsCommitted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import dev.perigee.store.view.LogEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The file goes when the log has what it says, and not before. */
class KeptTakeOverTest {
    private static final QueueCommit KEPT = new QueueCommit("g", "T", 0, 15);

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final KeptOffsets file = new KeptOffsets(disk);
    private final OffsetView view = new OffsetView(Claims.NONE);
    private final OffsetCommits commits = new OffsetCommits(
            view,
            new TopicView(Claims.NONE),
            new ConsumeQueueView(disk, QueueConfig.DEFAULT, (offset, sizeBytes) -> 0),
            new FactDesk((fact, listener) -> {}, LevelLog.EMPTY, () -> {}),
            (fact, listener) -> {},
            Clock.system());

    private long nowMs;

    @BeforeEach
    void keep() throws IOException {
        file.write(new KeptOffsets.Kept(7, 0, 0, List.of(KEPT)));
        commits.takeUp("g", "T", 0, KEPT.offset());
    }

    private KeptTakeOver takeOver() {
        return new KeptTakeOver(file, List.of(KEPT), commits.pending(), KeptTakeOverTest::done);
    }

    private static boolean done(PacedTask task) {
        try {
            return !task.step();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean goes(KeptTakeOver takeOver) throws IOException {
        nowMs += KeptTakeOver.AGAIN_MS;
        takeOver.doWork(nowMs);
        return !file.exists();
    }

    private void log(long offset) {
        OffsetsCommitted fact = OffsetsCommitted.changes(List.of(new QueueCommit("g", "T", 0, offset)));
        FrameDraft draft = FactCodec.fill(new FrameDraft(), fact);
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        view.apply(new LogEntry().wrap(frame.flip(), 0, 0));
        commits.pending().dropApplied();
    }

    @Test
    void aLargerOffsetThatIsNotLoggedEitherKeepsTheFile() throws IOException {
        KeptTakeOver takeOver = takeOver();
        assertThat(goes(takeOver)).as("while its own offset waits").isFalse();
        commits.takeUp("g", "T", 0, KEPT.offset() + 2);
        assertThat(goes(takeOver)).as("while the larger one waits").isFalse();
        log(KEPT.offset() + 2);
        assertThat(goes(takeOver)).as("when the log has it").isTrue();
    }

    @Test
    void aGroupThatGoesOnCommittingDoesNotKeepTheFile() throws IOException {
        KeptTakeOver takeOver = takeOver();
        log(KEPT.offset());
        commits.takeUp("g", "T", 0, KEPT.offset() + 2);
        assertThat(goes(takeOver)).isTrue();
    }
}
