package dev.perigee.cli.output;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.AtomicLong;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A bar on standard error while work is long; nothing when nobody watches. */
@ThreadSafe
public final class Progress implements AutoCloseable {
    /** Set to true by the launcher when standard output and error are a terminal; Java itself cannot tell which. */
    private static final String TERMINAL = "perigee.terminal";

    private static final int REFRESH_MS = 200;

    private final AtomicLong done = new AtomicLong();
    private final @Nullable ProgressBar bar;

    private Progress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /** A bar when the process runs in a terminal and nothing of what it prints goes elsewhere. */
    public static Progress start(String task, long total) {
        if (!Boolean.getBoolean(TERMINAL)) {
            return silent();
        }
        return new Progress(new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(REFRESH_MS)
                .showSpeed()
                .build());
    }

    /** Counts, shows nothing. */
    public static Progress silent() {
        return new Progress(null);
    }

    /** That many more steps are done. From any thread. */
    public void add(long steps) {
        done.addAndGet(steps);
        if (bar != null) {
            bar.stepBy(steps);
        }
    }

    /** How many steps are done. */
    public long done() {
        return done.get();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
