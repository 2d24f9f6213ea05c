package dev.perigee.bench.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The sends of a client that begins one every few milliseconds, as the load program's mode {@code probe} tells them. Thread-safe. */
final class Probes {
    private static final int WORDS = 4;

    private final List<Probe> all = new ArrayList<>();

    /** Times are milliseconds since 1970; {@code why} is empty where it was acknowledged. */
    private record Probe(long beginMs, long endMs, String why) {
        private boolean isOk() {
            return why.isEmpty();
        }
    }

    /** Takes one line of the load program; passes over what is no send. */
    synchronized void add(String line) {
        String[] words = line.split(" ", WORDS);
        boolean ok = "OK".equals(words[0]) && words.length == WORDS - 1;
        if (ok || ("FAILED".equals(words[0]) && words.length == WORDS)) {
            all.add(new Probe(Long.parseLong(words[1]), Long.parseLong(words[2]), ok ? "" : words[WORDS - 1]));
        }
    }

    /** When the first was acknowledged of those that began at that time or later. */
    synchronized OptionalLong acknowledged(long sinceMs) {
        return all.stream()
                .filter(each -> each.isOk() && each.beginMs() >= sinceMs)
                .mapToLong(Probe::endMs)
                .min();
    }

    /** How many failed of those that began in that time. */
    synchronized long failed(long fromMs, long toMs) {
        return all.stream()
                .filter(each -> !each.isOk() && each.beginMs() >= fromMs && each.beginMs() < toMs)
                .count();
    }

    /** The first reason for a failure of a send that began in that time; empty when none failed. */
    synchronized String firstFailure(long fromMs, long toMs) {
        return all.stream()
                .filter(each -> !each.isOk() && each.beginMs() >= fromMs && each.beginMs() < toMs)
                .map(Probe::why)
                .findFirst()
                .orElse("");
    }

    /** The longest time within those bounds in which nothing was acknowledged. */
    synchronized long longestSilenceMs(long fromMs, long toMs) {
        long longest = 0;
        long last = fromMs;
        long[] ends = all.stream()
                .filter(Probe::isOk)
                .mapToLong(Probe::endMs)
                .filter(end -> end >= fromMs && end <= toMs)
                .sorted()
                .toArray();
        for (long end : ends) {
            longest = Math.max(longest, end - last);
            last = end;
        }
        return Math.max(longest, toMs - last);
    }
}
