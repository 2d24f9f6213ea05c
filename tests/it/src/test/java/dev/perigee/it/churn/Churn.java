package dev.perigee.it.churn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.it.member.LockPromise;
import dev.perigee.it.member.Member;
import dev.perigee.it.member.MemberMain;
import dev.perigee.it.member.MemberSettings;
import dev.perigee.it.member.Note;
import dev.perigee.it.member.PacedSender;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Two topics of eight queues under a steady load, read by a concurrent and by an orderly group whose members, each a JVM, join,
 * leave and are killed all the time. Some messages fail the first time. When the load is over, everything must have been consumed
 * by both groups, by the orderly one as {@link LockPromise} says.
 */
final class Churn {
    private static final List<String> TOPICS = List.of("churn-a", "churn-b");
    private static final int QUEUES = 8;
    private static final int PER_SECOND = 2_000;
    private static final int FAIL_EVERY = 5_000;
    private static final int SHORTEST_REST_MS = 1_500;
    private static final int LONGEST_REST_MS = 3_500;
    /** A killed owner's lock lives for 60 s more; the rest is for what has piled up behind it. */
    private static final Duration DRAIN = Duration.ofMinutes(3);

    private final Path folder;
    private final Random random;
    private final long seed;
    private final Duration length;

    Churn(Path folder, long seed, Duration length) {
        this.folder = folder;
        this.random = new Random(seed);
        this.seed = seed;
        this.length = length;
    }

    ChurnReport run() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"),
                        names.target().namesrv(),
                        Map.of("messageDelayLevel", "1s 1s 1s 2s 2s 2s"))) {
            return run(names.target().namesrv(), queues(names.target().namesrv(), broker));
        }
    }

    private static List<MessageQueue> queues(String namesrv, PerigeeProcess broker) throws Exception {
        List<MessageQueue> queues = new ArrayList<>();
        try (AdminClient admin = AdminClient.builder()
                .nameServers(namesrv)
                .timeoutMs(60_000)
                .callTimeoutMs(MemberMain.PATIENT_MS)
                .build()) {
            admin.start();
            for (String topic : TOPICS) {
                admin.topics()
                        .createOrUpdate(
                                TopicConfig.of(topic, QUEUES),
                                List.of(broker.target().broker()));
                queues.addAll(admin.topics().queues(topic));
            }
        }
        return queues;
    }

    private ChurnReport run(String namesrv, List<MessageQueue> queues) throws Exception {
        MemberSettings concurrent = MemberSettings.of(
                        MemberSettings.Kind.CONCURRENT, namesrv, "churn_concurrent", TOPICS.toArray(String[]::new))
                .failEvery(FAIL_EVERY);
        MemberSettings orderly = MemberSettings.of(
                        MemberSettings.Kind.ORDERLY, namesrv, "churn_orderly", TOPICS.toArray(String[]::new))
                .failEvery(FAIL_EVERY)
                .batchSize(8);
        try (ChangingGroup free = new ChangingGroup(folder, "concurrent", concurrent, random);
                ChangingGroup ordered = new ChangingGroup(folder, "orderly", orderly, random)) {
            free.begin();
            ordered.begin();
            try (PacedSender sender = new PacedSender(namesrv, queues, PER_SECOND)) {
                churn(List.of(free, ordered));
                sender.stop();
                long drainBeganNs = System.nanoTime();
                awaitConsumed(sender.acknowledged(), free, drainBeganNs);
                awaitConsumed(sender.ends(), ordered, drainBeganNs);
                long drainMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - drainBeganNs);
                free.leaveAll();
                ordered.leaveAll();
                return report(sender, free, ordered, drainMs);
            }
        }
    }

    private void churn(List<ChangingGroup> groups) throws IOException {
        long endNs = System.nanoTime() + length.toNanos();
        for (int act = 0; System.nanoTime() < endNs; act++) {
            groups.get(act % groups.size()).change();
            long restNs = TimeUnit.MILLISECONDS.toNanos(
                    SHORTEST_REST_MS + random.nextInt(LONGEST_REST_MS - SHORTEST_REST_MS));
            long nextNs = Math.min(endNs, System.nanoTime() + restNs);
            Awaitility.await("the next change")
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(10))
                    .atMost(Duration.ofMinutes(
                            10)) // a clock is waited for, which a machine that stood still has passed
                    .until(() -> System.nanoTime() >= nextNs);
        }
    }

    private static void awaitConsumed(BitSet sent, ChangingGroup group, long beganNs) {
        Awaitility.await("everything consumed by " + group)
                .atMost(DRAIN.minusNanos(System.nanoTime() - beganNs))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    BitSet missing = (BitSet) sent.clone();
                    missing.andNot(numbers(group));
                    return missing.isEmpty();
                });
    }

    private static BitSet numbers(ChangingGroup group) {
        BitSet numbers = new BitSet();
        for (Member member : group.everyone()) {
            member.notes(Note.Kind.DONE).forEach(note -> numbers.set((int) note.number()));
        }
        return numbers;
    }

    private static void awaitConsumed(Map<LockPromise.Queue, Long> ends, ChangingGroup group, long beganNs) {
        Awaitility.await("everything consumed by " + group)
                .atMost(DRAIN.minusNanos(System.nanoTime() - beganNs))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    Map<LockPromise.Queue, Long> reached = new HashMap<>();
                    for (Member member : group.everyone()) {
                        member.notes(Note.Kind.DONE)
                                .forEach(note -> reached.merge(
                                        new LockPromise.Queue(note.topic(), note.queueId()),
                                        note.endOffset(),
                                        Math::max));
                    }
                    return reached.equals(ends);
                });
    }

    private ChurnReport report(PacedSender sender, ChangingGroup free, ChangingGroup ordered, long drainMs) {
        BitSet sent = sender.acknowledged();
        BitSet lost = (BitSet) sent.clone();
        lost.andNot(numbers(free));
        assertThat(lost).as("lost by the concurrent group, seed %d", seed).isEqualTo(new BitSet());
        long delivered = free.everyone().stream()
                .mapToLong(member -> member.notes(Note.Kind.DONE).count())
                .sum();
        LockPromise promise = LockPromise.check(
                ordered.everyone().stream().map(Member::witness).toList());
        assertThat(promise.positions())
                .as("reached by the orderly group, seed %d", seed)
                .isEqualTo(sender.ends());
        return new ChurnReport(
                seed,
                length.toSeconds(),
                sent.cardinality(),
                delivered - sent.cardinality(),
                promise.delivered() - sent.cardinality(),
                promise.violations(),
                free.counts().plus(ordered.counts()),
                drainMs);
    }
}
