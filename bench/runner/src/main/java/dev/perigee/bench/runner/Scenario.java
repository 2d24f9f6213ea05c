package dev.perigee.bench.runner;

import java.util.List;
import java.util.Map;

/**
 * One row of the results: which load, how it is flushed, which bars it has to clear.
 *
 * @param name the row's name
 * @param flush flushDiskType of both brokers
 * @param load key=value words for the load program
 * @param fill messages to be stored before the load starts; 0 for none
 * @param topics topics to create before
 */
record Scenario(String name, String flush, Map<String, String> load, long fill, int topics) {
    private static final String ASYNC = "ASYNC_FLUSH";
    private static final String SYNC = "SYNC_FLUSH";
    private static final long BACKLOG = 1_500_000;

    static List<Scenario> all() {
        return List.of(
                of("async-1k", ASYNC, Map.of("mode", "async", "threads", "2")),
                of("sync-1-thread-async-flush", ASYNC, Map.of("mode", "sync", "threads", "1")),
                of("sync-16-threads-async-flush", ASYNC, Map.of("mode", "sync", "threads", "16")),
                of("sync-1-thread-sync-flush", SYNC, Map.of("mode", "sync", "threads", "1")),
                of("sync-16-threads-sync-flush", SYNC, Map.of("mode", "sync", "threads", "16")),
                of("batch-32", ASYNC, Map.of("mode", "batch", "threads", "4")),
                new Scenario(
                        "backlog",
                        ASYNC,
                        Map.of("mode", "backlog", "count", Long.toString(BACKLOG), "sizeBytes", "1024"),
                        BACKLOG,
                        1),
                of("endtoend-2000", ASYNC, Map.of("mode", "endtoend", "rate", "2000")),
                new Scenario(
                        "async-1k-1000-topics",
                        ASYNC,
                        Map.of("mode", "async", "threads", "2", "topics", "1000"),
                        0,
                        1000));
    }

    private static Scenario of(String name, String flush, Map<String, String> load) {
        return new Scenario(name, flush, load, 0, 1);
    }
}
