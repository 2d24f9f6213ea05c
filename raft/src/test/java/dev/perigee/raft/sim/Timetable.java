package dev.perigee.raft.sim;

import java.util.Comparator;
import java.util.PriorityQueue;

/** What happens when, in virtual milliseconds; what was planned first happens first. */
final class Timetable {
    private record Entry(long atMs, long number, Runnable task) {}

    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::atMs).thenComparingLong(Entry::number));
    private long nowMs;
    private long planned;

    long nowMs() {
        return nowMs;
    }

    long done() {
        return planned - entries.size();
    }

    void in(long delayMs, Runnable task) {
        entries.add(new Entry(nowMs + delayMs, planned++, task));
    }

    void runUntil(long endMs) {
        while (!entries.isEmpty() && entries.peek().atMs() <= endMs) {
            Entry next = entries.remove();
            nowMs = next.atMs();
            next.task().run();
        }
        nowMs = endMs;
    }
}
