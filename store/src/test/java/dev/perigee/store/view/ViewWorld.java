package dev.perigee.store.view;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Function;

/** One view over a test log on a crashing disk, with its loop stepped by the test on a clock of its own. */
public final class ViewWorld<V extends LogView> {
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final ViewConfig CONFIG = new ViewConfig(64, 1 << 30, 1 << 30, 16);

    private final CrashingDisk disk;
    /** The disk as views and checkpoints see it. */
    private final Disk viewDisk;

    private final Function<ViewWorld<V>, V> maker;
    private final Queue<PacedTask> preparer = new ArrayDeque<>();
    private TestLog log;
    private LogFrames frames;
    private V view;
    private ViewLoop loop;
    private long openedAt;
    private long nowMs = 1;

    public ViewWorld(CrashingDisk disk, Function<ViewWorld<V>, V> maker) {
        this(disk, maker, disk);
    }

    /** With a disk of the test's own between checkpoints and the crashing one. */
    public ViewWorld(CrashingDisk disk, Function<ViewWorld<V>, V> maker, Disk viewDisk) {
        this.disk = disk;
        this.viewDisk = viewDisk;
        this.maker = maker;
        log = new TestLog(disk, SEGMENT_BYTES);
        frames = new LogFrames(log.log());
        view = maker.apply(this);
        loop = loopOver(view);
    }

    private ViewLoop loopOver(V over) {
        ViewSeams seams = new ViewSeams(log.log(), Clock.system(), viewDisk, preparer::add, () -> true, () -> true);
        ViewLoop made = new ViewLoop(seams, CONFIG, List.of(over), List.of());
        try {
            openedAt = made.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return made;
    }

    public CrashingDisk disk() {
        return disk;
    }

    public TestLog log() {
        return log;
    }

    public LogFrames frames() {
        return frames;
    }

    public V view() {
        return view;
    }

    public ViewLoop loop() {
        return loop;
    }

    /** Runs the loop until it has nothing to do. */
    public V settle() {
        while (loop.doWork(nowMs) > 0) {
            nowMs++;
        }
        return view;
    }

    /** Writes a checkpoint of what is applied, all the way. */
    public void checkpoint() {
        settle();
        loop.requestCheckpoint();
        settle();
        while (!preparer.isEmpty()) {
            runPreparer();
            settle();
        }
    }

    /** Lets time pass. */
    public void pass(long ms) {
        nowMs += ms;
    }

    public boolean hasPreparerWork() {
        return !preparer.isEmpty();
    }

    /** Trims the log as retention would: restates what is live, says so, and takes the files away. */
    public void retain(long startOffset) {
        settle();
        view.carryForward(startOffset, log::append);
        log.append(new LogTrimmed(startOffset));
        checkpoint();
        if (log.log().startOffset() != startOffset) {
            throw new IllegalStateException("log starts at " + log.log().startOffset() + ", not at " + startOffset);
        }
    }

    private void runPreparer() {
        while (!preparer.isEmpty()) {
            stepPreparer();
        }
    }

    /** Lets the preparer do one step of what it was given. */
    public void stepPreparer() {
        try {
            if (!preparer.element().step()) {
                preparer.remove();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How much of the log was replayed when the view was opened last. */
    public long replayedBytes() {
        return log.end() - openedAt;
    }

    /** The process is killed and comes back; the log is whole. */
    public V restart() {
        long end = log.end();
        long timeMs = log.nowMs();
        disk.kill();
        return reopen(end, timeMs);
    }

    /** The power fails; the log had been synced. */
    public V powerFailure() throws IOException {
        long end = log.end();
        long timeMs = log.nowMs();
        log.force();
        disk.crash();
        return reopen(end, timeMs);
    }

    private V reopen(long end, long timeMs) {
        preparer.clear();
        TestLog former = log;
        log = new TestLog(disk, SEGMENT_BYTES).endAt(end);
        log.nowMs(timeMs);
        log.continueQueues(former);
        frames = new LogFrames(log.log());
        view = maker.apply(this);
        loop = loopOver(view);
        return view;
    }

    /**
     * Compares this view with one built from the log alone, on an empty disk of its own.
     *
     * @return the first line that differs with its neighbours; empty when they are equal
     */
    public String differenceFromRebuilt(Function<CrashingDisk, V> onOtherDisk) {
        V fresh = onOtherDisk.apply(new CrashingDisk(new Random(0)));
        log.feed(log.log().startOffset(), fresh);
        List<String> live = settle().fingerprint().lines().toList();
        List<String> rebuilt = fresh.fingerprint().lines().toList();
        for (int i = 0; i < Math.max(live.size(), rebuilt.size()); i++) {
            if (i >= live.size() || i >= rebuilt.size() || !live.get(i).equals(rebuilt.get(i))) {
                return "line " + i + ": live " + around(live, i) + ", rebuilt " + around(rebuilt, i);
            }
        }
        return "";
    }

    private static List<String> around(List<String> lines, int at) {
        return lines.subList(Math.min(lines.size(), Math.max(0, at - 2)), Math.min(lines.size(), at + 3));
    }
}
