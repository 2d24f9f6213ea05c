package dev.perigee.bench.consensus;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What it costs to have entries committed by three nodes that live in this process: CPU of the whole process for a gigabyte, by entries
 * of 64 KiB and of 1 KiB as fast as they go, and the median time of one at a thousand entries of 1 KiB a second.
 */
public final class Measure {
    private static final int MAX_SAMPLES = 1 << 20;

    private final Committer committer;
    private final long warmupMs;
    private final long windowMs;
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    Measure(Committer committer, long warmupMs, long windowMs) {
        this.committer = committer;
        this.warmupMs = warmupMs;
        this.windowMs = windowMs;
    }

    /** Prints one line: the name, CPU seconds for a gigabyte and megabytes a second for both sizes, and the median. */
    public static void print(String name, Committer committer, String[] args) throws Exception {
        long warmupMs = args.length > 1 ? Long.parseLong(args[1]) : 10_000;
        long windowMs = args.length > 2 ? Long.parseLong(args[2]) : 15_000;
        Measure measure = new Measure(committer, warmupMs, windowMs);
        String large = measure.flood(64 << 10, 64);
        String small = measure.flood(1 << 10, 2_000);
        System.out.printf(
                Locale.ROOT,
                "%s  64 KiB: %s  1 KiB: %s  p50 at 1,000/s: %.2f ms  failed %d%n",
                name,
                large,
                small,
                measure.medianUs() / 1_000.0,
                measure.failed.get());
    }

    private static long cpuNs() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static byte[] entry(int sizeBytes) {
        byte[] entry = new byte[sizeBytes];
        ThreadLocalRandom.current().nextBytes(entry);
        return entry;
    }

    private String flood(int sizeBytes, int inFlight) throws Exception {
        byte[] entry = entry(sizeBytes);
        Semaphore room = new Semaphore(inFlight);
        pour(entry, room, warmupMs);
        long before = committed.get();
        long cpu = cpuNs();
        long from = System.nanoTime();
        pour(entry, room, windowMs);
        double seconds = (System.nanoTime() - from) / 1e9;
        double cpuSeconds = (cpuNs() - cpu) / 1e9;
        double gigabytes = (committed.get() - before) * (double) sizeBytes / 1e9;
        if (!room.tryAcquire(inFlight, 30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("entries of " + sizeBytes + " bytes are not answered after 30 s");
        }
        return String.format(
                Locale.ROOT, "%.1f CPU-s/GB, %.0f MB/s", cpuSeconds / gigabytes, gigabytes * 1_000 / seconds);
    }

    private void pour(byte[] entry, Semaphore room, long forMs) throws Exception {
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
        while (System.nanoTime() < untilNs) {
            room.acquire();
            committer.commit(entry, well -> {
                (well ? committed : failed).incrementAndGet();
                room.release();
            });
        }
    }

    private double medianUs() throws Exception {
        byte[] entry = entry(1 << 10);
        long[] tookNs = new long[MAX_SAMPLES];
        AtomicLong samples = new AtomicLong();
        long from = System.nanoTime();
        long warmNs = TimeUnit.MILLISECONDS.toNanos(warmupMs / 2);
        long untilNs = from + warmNs + TimeUnit.MILLISECONDS.toNanos(windowMs);
        for (long nextNs = from; nextNs < untilNs; nextNs += TimeUnit.MILLISECONDS.toNanos(1)) {
            while (System.nanoTime() < nextNs) {
                LockSupport.parkNanos(nextNs - System.nanoTime());
            }
            long sentNs = System.nanoTime();
            boolean counts = sentNs - from > warmNs;
            committer.commit(entry, well -> {
                if (counts && well) {
                    int at = (int) samples.getAndIncrement();
                    if (at < MAX_SAMPLES) {
                        tookNs[at] = System.nanoTime() - sentNs;
                    }
                }
            });
        }
        Thread.sleep(1_000); // what is on its way
        int many = (int) Math.min(samples.get(), MAX_SAMPLES);
        Arrays.sort(tookNs, 0, many);
        return tookNs[many / 2] / 1_000.0;
    }

}
