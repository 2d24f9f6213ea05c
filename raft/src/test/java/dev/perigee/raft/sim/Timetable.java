package dev.perigee.raft.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;

/** What happens when, in virtual milliseconds; what was planned first happens first. */
final class Timetable {
    /** What comes sooner than this lies in a ring with a place for each millisecond. */
    private static final int SOON_MS = 256;

    private final List<Queue<Runnable>> soon = new ArrayList<>();
    /** What was planned longer before than that, by its millisecond. */
    private final TreeMap<Long, Queue<Runnable>> late = new TreeMap<>();

    private long nowMs;
    private long done;

    Timetable() {
        for (int i = 0; i < SOON_MS; i++) {
            soon.add(new ArrayDeque<>());
        }
    }

    long nowMs() {
        return nowMs;
    }

    long done() {
        return done;
    }

    void in(long delayMs, Runnable task) {
        long atMs = nowMs + delayMs;
        if (delayMs < SOON_MS) {
            place(atMs).add(task);
        } else {
            late.computeIfAbsent(atMs, at -> new ArrayDeque<>()).add(task);
        }
    }

    private Queue<Runnable> place(long atMs) {
        return soon.get((int) (atMs % SOON_MS));
    }

    void runUntil(long endMs) {
        for (; nowMs <= endMs; nowMs++) {
            Queue<Runnable> early = late.remove(nowMs);
            if (early != null) {
                run(early);
            }
            run(place(nowMs));
        }
        nowMs = endMs;
    }

    private void run(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            done++;
            task.run();
        }
    }
}
