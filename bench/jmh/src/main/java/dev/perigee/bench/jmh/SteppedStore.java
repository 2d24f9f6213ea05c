package dev.perigee.bench.jmh;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Loop;
import dev.perigee.loop.LoopDriver;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.AppendListener;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.Appender;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.SoloReplication;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A real store in a temporary folder, with asynchronous flush, whose loops the benchmark runs by hand: what is timed is the work of the loops
 * and not the handing over between threads. The folder goes when it is closed.
 */
@OwnedBy("benchmark thread")
public final class SteppedStore implements AutoCloseable {
    private static final int SEGMENT_BYTES = 1 << 28;
    private static final String LOG_LOOP = "perigee-log";

    private final Clock clock = Clock.system();
    private final Path folder;
    private final Store store;
    private final Appender appender;
    private final Loop logLoop;
    private final AppendListener ended = this::ended;
    private AppendResult worst = AppendResult.APPENDED;
    private int waiting;
    private final List<LoopDriver> drivers = new ArrayList<>();

    private SteppedStore(Path folder) throws IOException {
        this.folder = folder;
        StoreConfig config = StoreConfig.defaults()
                .withSegmentSizeBytes(SEGMENT_BYTES)
                .withFlushMode(FlushMode.ASYNC)
                .withMinFreeBytes(0, 0);
        StoreSeams seams = new StoreSeams(new FileDisk(folder), clock, new SplittableRandom(), 1, cause -> {
            throw new IllegalStateException("the log failed", cause);
        });
        this.store = Store.open(config, seams, new SoloReplication(FlushMode.ASYNC), Store.Views.none());
        this.appender = store.newAppender();
        this.logLoop = store.loops().stream()
                .filter(loop -> loop.name().equals(LOG_LOOP))
                .findFirst()
                .orElseThrow();
    }

    /** A new, empty one, all of whose loops are run by hand. */
    public static SteppedStore open() throws IOException {
        return new SteppedStore(Files.createTempDirectory("perigee-jmh"));
    }

    /**
     * A new, empty one whose disk is forced and prepared by threads of their own, as in a broker: the log takes nothing more while too much
     * is not forced, so a benchmark of the log alone would stand still. {@link #settle} is not for such a store.
     */
    public static SteppedStore openWithDiskThreads() throws IOException {
        SteppedStore opened = open();
        for (Loop loop : opened.store.loops()) {
            if (loop != opened.logLoop) {
                LoopDriver driver =
                        new LoopDriver(new Impatient(loop, opened.clock), opened.clock, (failed, cause) -> {});
                opened.drivers.add(driver);
                driver.start();
            }
        }
        return opened;
    }

    /** A loop that looks for work every millisecond, for nobody wakes it here. */
    private record Impatient(Loop loop, Clock clock) implements Loop {
        @Override
        public String name() {
            return loop.name();
        }

        @Override
        public int doWork(long nowMs) {
            return loop.doWork(nowMs);
        }

        @Override
        public long nextDeadlineMs() {
            return clock.monotonicMs() + 1;
        }

        @Override
        public void onStop() {
            loop.onStop();
        }
    }

    /** The store itself. */
    public Store store() {
        return store;
    }

    /** Encodes a unit of equal frames straight into the store's memory and hands it to the log loop. */
    public void submit(FrameDraft draft, int queueId, int frames) {
        ByteBuffer space = appender.reserve(draft.queueId(queueId).sizeBytes() * frames);
        if (space == null) {
            throw new IllegalStateException("refused: " + appender.refusal());
        }
        for (int i = 0; i < frames; i++) {
            draft.writeTo(space);
        }
        waiting++;
        appender.submit(new AppendRequest(SampleFrames.TOPIC, queueId, frames, true, ended));
    }

    private void ended(AppendRequest request, AppendResult result) {
        waiting--;
        if (result != AppendResult.APPENDED) {
            worst = result;
        }
    }

    /**
     * Passes of the single writer until all that was submitted is appended: one, unless the disk does not keep up.
     *
     * @throws IllegalStateException when an append did not end well; a figure over refusals would be worth nothing
     */
    public void stepLog() {
        do {
            logLoop.doWork(clock.monotonicMs());
        } while (waiting > 0);
        if (worst != AppendResult.APPENDED) {
            throw new IllegalStateException("an append ended with " + worst);
        }
    }

    /** Runs all loops until nothing is left to do, views included. */
    public void settle() {
        for (int work = 1; work > 0; ) {
            work = 0;
            for (Loop loop : store.loops()) {
                work += loop.doWork(clock.monotonicMs());
            }
        }
    }

    @Override
    public void close() {
        drivers.forEach(LoopDriver::close);
        try {
            store.close();
            Folders.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("closing the store in " + folder, e);
        }
    }
}
