package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.Stream.Piece;
import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.receive.CutOrder;
import dev.perigee.store.receive.ReceiveListener;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceivedBytes;
import dev.perigee.store.receive.SenderState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Received, cut and received again on real threads and files, while the preparer fills the files ahead. */
final class CutUnderThreadsTest implements ReceiveListener, CutOrder.CutListener {
    private static final int ROUNDS = 10;

    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final Queue<ReceiveRefusedException> refusals = new ConcurrentLinkedQueue<>();
    private volatile long cutTo = -1;
    private long confirmOffset;

    @TempDir
    private Path folder;

    @Test
    void aLogThatIsCutAndFilledAgainIsThatOfItsWriter() throws IOException {
        Pair pair = new Pair(1);
        pair.write(20);
        long confirmed = pair.writerEnd();
        confirmOffset = confirmed;
        pair.write(200);
        StoreConfig config = StoreConfig.defaults()
                .withSegmentSizeBytes(LogRig.SEGMENT_BYTES)
                .withMinFreeBytes(0, 0);
        StoreSeams seams = new StoreSeams(new FileDisk(folder), Clock.system(), new Random(2), 1, faults::add);
        SwitchedReplication replication = new SwitchedReplication(Role.RECEIVES);
        replication.confirmLimit(confirmed);
        try (Store store = Store.open(config, seams, replication, Store.Views.none())) {
            store.start();
            long from = 0;
            for (int round = 0; round < ROUNDS; round++) {
                for (Piece piece : pair.stream.pieces(from, pair.writerEnd(), 5, pair.random)) {
                    offer(store, piece);
                }
                await().atMost(ONE_MINUTE).until(() -> store.log().endOffset() == pair.writerEnd() || hasFailed());
                assertThat(faults).isEmpty();
                assertThat(refusals).isEmpty();
                cutTo = -1;
                store.received().offer(new CutOrder(1, confirmed, this));
                await().atMost(ONE_MINUTE).until(() -> cutTo == confirmed || hasFailed());
                from = confirmed;
            }
            for (Piece piece : pair.stream.pieces(from, pair.writerEnd(), 5, pair.random)) {
                offer(store, piece);
            }
            await().atMost(ONE_MINUTE).until(() -> store.log().syncedOffset() == pair.writerEnd() || hasFailed());
            assertThat(store.log().extent()).isEqualTo(pair.writer.log().extent());
            await().atMost(ONE_MINUTE).until(() -> store.viewLoop().appliedOffset() == confirmed || hasFailed());
        }
        assertThat(faults).isEmpty();
        assertThat(refusals).isEmpty();
        for (long start = 0; start < pair.writerEnd(); start += LogRig.SEGMENT_BYTES) {
            String name = LogNames.fileName(start);
            assertThat(Files.readAllBytes(folder.resolve(name))).as(name).isEqualTo(pair.writerDisk.content(name));
        }
    }

    private boolean hasFailed() {
        return !faults.isEmpty() || !refusals.isEmpty();
    }

    private void offer(Store store, Piece piece) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(piece.bytes().length).put(piece.bytes());
        ReceivedBytes received =
                new ReceivedBytes(new SenderState(1, 1, confirmOffset), piece.offset(), bytes.flip(), this);
        if (!store.received().offer(received)) {
            store.received().wake();
            await().atMost(ONE_MINUTE).until(() -> store.received().offer(received) || hasFailed());
        }
        store.received().run();
    }

    @Override
    public void received(ReceivedBytes bytes, long endOffset) {
        // the end of the log tells
    }

    @Override
    public void refused(ReceivedBytes bytes, ReceiveRefusedException why) {
        refusals.add(why);
    }

    @Override
    public void roomAgain() {
        // tried again until there is
    }

    @Override
    public void cut(CutOrder order) {
        cutTo = order.endOffset();
    }

    @Override
    public void refused(CutOrder order, ReceiveRefusedException why) {
        refusals.add(why);
    }
}
