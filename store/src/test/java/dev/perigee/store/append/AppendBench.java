package dev.perigee.store.append;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.store.disk.DiskSpace;
import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.disk.Folders;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * What one append costs the log loop: batches of messages are submitted, then only the loop's own work is timed, on one
 * thread over real files, in CPU time so that a busy machine disturbs less. Not a test; run its main with a body size, 1024 by default.
 */
final class AppendBench {
    private static final int BATCH = 64;
    private static final int ROUNDS = 8;
    private static final int BATCHES_PER_ROUND = 2_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private AppendBench() {}

    public static void main(String[] args) throws IOException {
        int bodyBytes = args.length == 0 ? 1024 : Integer.parseInt(args[0]);
        Path folder = Files.createTempDirectory("append-bench");
        try {
            run(folder, bodyBytes);
        } finally {
            Folders.delete(folder);
        }
    }

    private static void run(Path folder, int bodyBytes) throws IOException {
        LogLoopConfig config = new LogLoopConfig(
                1 << 28, FlushMode.ASYNC, 5_000, 9 << 20, 16_384, 64L << 20, 2 << 20, 0, new DiskSpace.SpaceRule(0, 0));
        LogEngine engine = LogEngine.open(
                new LogEngine.Seams(new FileDisk(folder), Clock.system(), new SplittableRandom(), 1, cause -> {}),
                config,
                new SoloReplication(FlushMode.ASYNC),
                logId -> -1);
        Appender appender = engine.gate().newAppender(Runnable::run);
        FrameDraft draft = new FrameDraft()
                .topic("bench".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.wrap(new byte[bodyBytes]));
        AppendListener listener = (request, result) -> {};
        for (int round = 0; round < ROUNDS; round++) {
            long spentNs = 0;
            for (int i = 0; i < BATCHES_PER_ROUND; i++) {
                submit(appender, draft, listener);
                long beginNs = THREADS.getCurrentThreadCpuTime();
                engine.logLoop().doWork(System.nanoTime() / 1_000_000);
                spentNs += THREADS.getCurrentThreadCpuTime() - beginNs;
            }
            System.out.printf(
                    "round=%d bodyBytes=%d batch=%d cpuNsPerAppend=%d%n",
                    round, bodyBytes, BATCH, spentNs / BATCHES_PER_ROUND / BATCH);
        }
        engine.close();
    }

    private static void submit(Appender appender, FrameDraft draft, AppendListener listener) {
        for (int i = 0; i < BATCH; i++) {
            ByteBuffer space = appender.reserve(draft.queueId(i % 4).sizeBytes());
            if (space == null) {
                throw new IllegalStateException("refused: " + appender.refusal());
            }
            draft.writeTo(space);
            appender.submit(new AppendRequest("bench", i % 4, 1, true, listener));
        }
    }
}
