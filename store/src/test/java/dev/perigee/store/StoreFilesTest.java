package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.recovery.CorruptLogException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real files of a store between two of its lives. */
final class StoreFilesTest {
    private static final int SEGMENT_BYTES = 1 << 20;

    @TempDir
    private Path folder;

    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();

    private Store open(int segmentSizeBytes) throws IOException {
        StoreConfig config =
                StoreConfig.defaults().withSegmentSizeBytes(segmentSizeBytes).withMinFreeBytes(0, 0);
        StoreSeams seams = new StoreSeams(
                new FileDisk(folder), Clock.system(), RandomGenerator.getDefault(), BootId.read(), faults::add);
        return Store.open(config, seams, new SoloReplication(FlushMode.SYNC), Store.Views.none());
    }

    private static AppendResult send(Store store, int bodyBytes) throws Exception {
        Appender appender = store.newAppender();
        FrameDraft draft = new FrameDraft()
                .topic("topic".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.wrap(new byte[bodyBytes]));
        ByteBuffer space = appender.reserve(draft.sizeBytes());
        if (space == null) {
            return appender.refusal();
        }
        draft.writeTo(space);
        CompletableFuture<AppendResult> done = new CompletableFuture<>();
        appender.submit(new AppendRequest("topic", 0, 1, true, (request, result) -> done.complete(result)));
        return done.get(60, TimeUnit.SECONDS);
    }

    @Test
    void aFileCutShortAfterACleanStopStopsTheNextStartAndIsNotFilledUp() throws Exception {
        try (Store store = open(SEGMENT_BYTES)) {
            store.start();
            for (int i = 0; i < 12; i++) {
                assertThat(send(store, 200_000)).isEqualTo(AppendResult.APPENDED);
            }
        }
        Path last = folder.resolve("commitlog").resolve(String.format("%020d", 2 * SEGMENT_BYTES));
        for (long size : new long[] {100_000, 0}) {
            try (FileChannel file = FileChannel.open(last, StandardOpenOption.WRITE)) {
                file.truncate(size);
            }
            for (int start = 0; start < 2; start++) {
                assertThatThrownBy(() -> open(SEGMENT_BYTES))
                        .isInstanceOf(CorruptLogException.class)
                        .hasMessageContaining("ends at offset " + (2 * SEGMENT_BYTES + size));
                assertThat(Files.size(last)).isEqualTo(size);
            }
        }
    }

    @Test
    void theLargestUnitIsThatOfTheLogAtHandWhateverSegmentSizeIsSet() throws Exception {
        try (Store store = open(SEGMENT_BYTES)) {
            store.start();
            assertThat(send(store, 100)).isEqualTo(AppendResult.APPENDED);
        }
        for (int set : new int[] {1 << 30, 64 * 1024}) {
            try (Store store = open(set)) {
                store.start();
                assertThat(send(store, 2 * SEGMENT_BYTES)).as("set to %d", set).isEqualTo(AppendResult.TOO_LARGE);
                assertThat(send(store, 400_000)).as("set to %d", set).isEqualTo(AppendResult.APPENDED);
            }
        }
        assertThat(faults).isEmpty();
    }
}
