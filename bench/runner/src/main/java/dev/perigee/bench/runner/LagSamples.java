package dev.perigee.bench.runner;

import dev.perigee.bench.runner.server.Watched;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** How far a slave is behind in time, looked at every few milliseconds for as long as a window lasts, on a thread of its own. */
final class LagSamples implements Watched {
    /** Where a look comes from. */
    @FunctionalInterface
    interface Source {
        /** Milliseconds. Blocks. */
        long lagMs() throws IOException;
    }

    private static final int EVERY_MS = 2;

    private final Watched server;
    private final Source source;
    private final List<Long> taken = new ArrayList<>();
    private final Thread thread = new Thread(this::sample, "lag-samples");
    private volatile boolean over;
    private volatile String flaw = "";

    LagSamples(Watched server, Source source) {
        this.server = server;
        this.source = source;
    }

    /** Begins to look, or ends it and waits for the last look. Each once. */
    @Override
    public void window(boolean begins) {
        if (begins) {
            thread.start();
            return;
        }
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a slave was looked at", e);
        }
    }

    @Override
    public long cpuMillis() throws IOException {
        return server.cpuMillis();
    }

    @Override
    public OptionalLong lagBytes() {
        return server.lagBytes();
    }

    /** Why what was taken does not count; empty when it does. After the window. */
    String flaw() {
        return flaw.isEmpty() && taken.isEmpty() ? "the slave was not looked at" : flaw;
    }

    /** How many looks there were. After the window. */
    int count() {
        return taken.size();
    }

    /** The smallest value that so many percent do not exceed, in milliseconds; 0 without any. After the window. */
    long percentile(double percent) {
        long[] sorted = taken.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(sorted);
        int index = (int) Math.ceil(percent / 100 * sorted.length) - 1;
        return sorted.length == 0 ? 0 : sorted[Math.max(0, index)];
    }

    private void sample() {
        try {
            while (!over) {
                taken.add(source.lagMs());
                TimeUnit.MILLISECONDS.sleep(EVERY_MS);
            }
        } catch (IOException | InterruptedException e) {
            flaw = "the slave could not be looked at: " + e;
        }
    }
}
