package dev.perigee.bench.runner;

import dev.perigee.bench.runner.server.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One row of the results: which load, how it is flushed, who contests. All topics are created before the load starts, with
 * {@value #QUEUES} queues each, whoever contests.
 *
 * @param name the row's name
 * @param flush flushDiskType of the brokers
 * @param load key=value words for the load program
 * @param fill messages to be stored before the load starts; 0 for none
 * @param contestants the first is compared with each of the others
 */
record Scenario(String name, String flush, Map<String, String> load, long fill, List<Contestant> contestants) {
    static final String ASYNC = "ASYNC_FLUSH";
    static final String SYNC = "SYNC_FLUSH";
    static final int QUEUES = 4;

    private static final long BACKLOG = 1_500_000;
    /** The stock client on both sides, so that only the brokers differ. */
    private static final List<Contestant> SAME_CLIENT = List.of(
            Contestant.of("Perigee", ServerKind.PERIGEE, LoadClient.STOCK),
            Contestant.of("stock", ServerKind.STOCK, LoadClient.STOCK));
    /**
     * Each with its own client. A stock broker refuses asynchronous sends when 10,000 wait in its queue, so its client keeps below that;
     * the others have 20,000 on their way, enough for batches to form by themselves.
     */
    private static final List<Contestant> OWN_CLIENT = List.of(
            Contestant.of("Perigee", ServerKind.PERIGEE, LoadClient.PERIGEE),
            Contestant.of("stock", ServerKind.STOCK, LoadClient.STOCK).with("inFlight", "4000"),
            Contestant.of("Kafka", ServerKind.KAFKA, LoadClient.KAFKA));
    /** A consumer with its defaults on its own broker; batches of 32 filled the backlog on both sides. */
    private static final List<Contestant> OWN_CONSUMER = List.of(
            Contestant.of("Perigee", ServerKind.PERIGEE, LoadClient.PERIGEE),
            Contestant.of("stock", ServerKind.STOCK, LoadClient.STOCK));
    /** The last one runs in the same turns with a single topic, for the price of many. */
    private static final List<Contestant> MANY_TOPICS = List.of(
            SAME_CLIENT.get(0),
            SAME_CLIENT.get(1),
            Contestant.of("Perigee with 1 topic", ServerKind.PERIGEE, LoadClient.STOCK)
                    .with("topics", "1"));

    /** Two brokers each, and a send is answered when both have it; the last one is for the price of the second broker. */
    private static final List<Contestant> PAIRS = List.of(
            Contestant.of("Perigee pair", ServerKind.PERIGEE_PAIR, LoadClient.STOCK),
            Contestant.of("stock pair", ServerKind.STOCK_PAIR, LoadClient.STOCK),
            Contestant.of("Perigee alone", ServerKind.PERIGEE, LoadClient.STOCK));

    /** Three brokers each, and a send is answered when two of them have it; the last one is for the price of the others. */
    private static final List<Contestant> GROUPS = List.of(
            Contestant.of("Perigee group", ServerKind.PERIGEE_GROUP, LoadClient.STOCK),
            Contestant.of("stock group", ServerKind.STOCK_GROUP, LoadClient.STOCK),
            Contestant.of("Perigee alone", ServerKind.PERIGEE, LoadClient.STOCK));
    /** A stock group is at its best with few on their way; with thousands, those that time out take its time from the others. */
    private static final Contestant STOCK_GROUP_WITH_FEW = Contestant.of(
                    "stock group, 2 × 100 in flight", ServerKind.STOCK_GROUP, LoadClient.STOCK)
            .with("inFlight", "100");

    /** For asynchronous sends. */
    private static final List<Contestant> GROUPS_ASYNC =
            List.of(GROUPS.get(0), GROUPS.get(1), STOCK_GROUP_WITH_FEW, GROUPS.get(2));
    /** The same, each with its own client. */
    private static final List<Contestant> GROUPS_OWN_CLIENT = List.of(
            Contestant.of("Perigee group", ServerKind.PERIGEE_GROUP, LoadClient.PERIGEE),
            STOCK_GROUP_WITH_FEW,
            Contestant.of("Perigee alone", ServerKind.PERIGEE, LoadClient.PERIGEE));

    static List<Scenario> all() {
        return Stream.of(alone(), pairs(), groups()).flatMap(List::stream).toList();
    }

    private static List<Scenario> alone() {
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
                        Map.of("mode", "backlog", "count", Long.toString(BACKLOG)),
                        BACKLOG,
                        SAME_CLIENT),
                new Scenario(
                        "own-client-backlog",
                        ASYNC,
                        Map.of("mode", "backlog", "count", Long.toString(BACKLOG)),
                        BACKLOG,
                        OWN_CONSUMER),
                of("endtoend-2000", ASYNC, Map.of("mode", "endtoend", "rate", "2000")),
                new Scenario(
                        "async-1k-1000-topics",
                        ASYNC,
                        Map.of("mode", "async", "threads", "2", "topics", "1000"),
                        0,
                        MANY_TOPICS),
                new Scenario(
                        "own-client-async",
                        ASYNC,
                        Map.of("mode", "async", "threads", "2", "inFlight", "10000"),
                        0,
                        OWN_CLIENT));
    }

    private static List<Scenario> pairs() {
        return bothWays("pair-", PAIRS, PAIRS);
    }

    private static List<Scenario> groups() {
        List<Scenario> all = new ArrayList<>(bothWays("group-", GROUPS, GROUPS_ASYNC));
        all.add(new Scenario(
                "group-own-client-async",
                ASYNC,
                Map.of("mode", "async", "threads", "2", "inFlight", "10000"),
                0,
                GROUPS_OWN_CLIENT));
        return all;
    }

    /** The four loads with each way of flushing. */
    private static List<Scenario> bothWays(
            String prefix, List<Contestant> contestants, List<Contestant> withAsyncSends) {
        List<Scenario> all = new ArrayList<>();
        for (String flush : List.of(ASYNC, SYNC)) {
            String suffix = flush.equals(SYNC) ? "-sync-flush" : "";
            all.add(several(prefix + "sync-1" + suffix, flush, "sync", 1, contestants));
            all.add(several(prefix + "sync-16" + suffix, flush, "sync", 16, contestants));
            all.add(several(prefix + "async-1k" + suffix, flush, "async", 2, withAsyncSends));
            all.add(several(prefix + "batch-32" + suffix, flush, "batch", 4, contestants));
        }
        return all;
    }

    /** The words for one contestant's load program. */
    Map<String, String> loadFor(Contestant contestant) {
        Map<String, String> words = new LinkedHashMap<>(load);
        words.put("queues", Integer.toString(QUEUES));
        words.putAll(contestant.load());
        return words;
    }

    private static Scenario several(String name, String flush, String mode, int threads, List<Contestant> contestants) {
        return new Scenario(name, flush, Map.of("mode", mode, "threads", Integer.toString(threads)), 0, contestants);
    }

    private static Scenario of(String name, String flush, Map<String, String> load) {
        return new Scenario(name, flush, load, 0, SAME_CLIENT);
    }
}
