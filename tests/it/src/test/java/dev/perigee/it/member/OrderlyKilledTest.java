package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageQueue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An orderly group one of whose members is killed while it holds locks, and one of whose queues fails all the time. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
final class OrderlyKilledTest {
    private static final String TOPIC = "orderly_killed";
    private static final int QUEUES = 8;
    private static final int BLOCKED = 0;
    private static final int PER_SECOND = 200;
    /** How long a lock lives after its holder asked last, and how long its heir may take to notice. */
    private static final Duration LOCK_LIFE = Duration.ofSeconds(60);

    private static final Duration HEIR = Duration.ofSeconds(45);

    @TempDir
    private Path folder;

    @Test
    void theLocksOfAKilledMemberGoOverWhenTheyExpireAndNothingElseWaits() throws Exception {
        Path block = Files.writeString(folder.resolve(MemberSettings.BLOCK_FILE), "");
        try (MemberCluster cluster = MemberCluster.start(folder)) {
            List<MessageQueue> queues = cluster.topic(TOPIC, QUEUES);
            MemberSettings settings = MemberSettings.of(
                            MemberSettings.Kind.ORDERLY, cluster.namesrv(), "orderly_killed", TOPIC)
                    .batchSize(4)
                    .blockedQueue(BLOCKED);
            Member stays = cluster.member("stays", settings);
            Member dies = cluster.member("dies", settings);
            stays.awaitStarted();
            dies.awaitStarted();
            try (PacedSender sender = new PacedSender(cluster.namesrv(), queues, PER_SECOND)) {
                awaitProgressOfAllButBlocked(cluster, sender);
                Set<Integer> orphans = Set.copyOf(ownedBy(dies));
                assertThat(orphans).as("queues of the member that dies").isNotEmpty();
                dies.kill();
                awaitProgress(List.of(stays), sender, others(orphans, BLOCKED));
                Files.delete(block);
                awaitProgress(List.of(stays), sender, all());
                sender.stop();
                awaitEnd(cluster, sender);
                stays.leave();
                checkOrder(cluster, sender);
                checkHeir(cluster, dies, orphans);
            }
        }
    }

    /** The queues of the last calls of a member. */
    private static Set<Integer> ownedBy(Member member) {
        return member.notes(Note.Kind.BEGUN).map(Note::queueId).collect(Collectors.toSet());
    }

    private static Set<Integer> all() {
        return IntStream.range(0, QUEUES).boxed().collect(Collectors.toSet());
    }

    private static Set<Integer> others(Set<Integer> than, int andThan) {
        return all().stream()
                .filter(queue -> !than.contains(queue) && queue != andThan)
                .collect(Collectors.toSet());
    }

    private static void awaitProgressOfAllButBlocked(MemberCluster cluster, PacedSender sender) {
        awaitProgress(cluster.members(), sender, others(Set.of(), BLOCKED));
        assertThat(cluster.members())
                .as("the blocked queue")
                .allSatisfy(member ->
                        assertThat(member.notes(Note.Kind.DONE)).noneMatch(note -> note.queueId() == BLOCKED));
        Awaitility.await("tries of the blocked queue")
                .atMost(HEIR)
                .until(() -> cluster.members().stream()
                        .flatMap(member -> member.notes(Note.Kind.FAILED))
                        .anyMatch(note -> note.queueId() == BLOCKED));
    }

    /** Waits until of each of these queues a message was consumed that was sent after this call. */
    private static void awaitProgress(List<Member> members, PacedSender sender, Set<Integer> queues) {
        Map<LockPromise.Queue, Long> ends = sender.ends();
        Awaitility.await("messages of queues " + queues + " sent after " + ends)
                .atMost(LOCK_LIFE.plus(HEIR))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> queues.stream().allMatch(queue -> {
                    long end = ends.getOrDefault(new LockPromise.Queue(TOPIC, queue), 0L);
                    return members.stream()
                            .flatMap(member -> member.notes(Note.Kind.DONE))
                            .anyMatch(note -> note.queueId() == queue && note.endOffset() > end);
                }));
    }

    private static void awaitEnd(MemberCluster cluster, PacedSender sender) {
        Awaitility.await("the end of all queues")
                .atMost(HEIR)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> sender.ends().entrySet().stream()
                        .allMatch(end -> cluster.members().stream()
                                .flatMap(member -> member.notes(Note.Kind.DONE))
                                .anyMatch(note -> note.queueId() == end.getKey().queueId()
                                        && note.endOffset() == end.getValue())));
    }

    private static void checkOrder(MemberCluster cluster, PacedSender sender) {
        LockPromise promise = LockPromise.check(cluster.witnesses());
        assertThat(promise.violations()).isEmpty();
        assertThat(promise.positions()).isEqualTo(sender.ends());
    }

    /** A queue that was being consumed when its owner died: nobody has it before the lock expires, somebody soon after. */
    private static void checkHeir(MemberCluster cluster, Member dies, Set<Integer> orphans) {
        Map<LockPromise.Queue, List<LockPromise.Call>> calls = LockPromise.calls(cluster.witnesses());
        for (int queue : orphans) {
            LockPromise.Call inherited = calls.getOrDefault(new LockPromise.Queue(TOPIC, queue), List.of()).stream()
                    .filter(call -> call.beginNs() > dies.killedNs())
                    .findFirst()
                    .orElseThrow();
            assertThat(inherited.beginNs() - dies.killedNs())
                    .as("from the kill to %s", inherited)
                    .isBetween(
                            // The dead one renewed its locks every 20 s, most likely just before it died.
                            TimeUnit.SECONDS.toNanos(60 - 20 - 10),
                            LOCK_LIFE.plus(HEIR).toNanos());
        }
    }
}
