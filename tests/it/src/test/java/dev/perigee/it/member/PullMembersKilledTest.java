package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.message.MessageQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pull consumers one of whom is killed: nothing is lost, and only what was under way comes again. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
final class PullMembersKilledTest {
    private static final int QUEUES = 8;
    private static final int BATCH = 8;
    /** From the first member to the one that dies, and from its heir to the one that joins. */
    private static final int HANDOVERS = 2;

    private static final int PER_SECOND = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    /** One message that a member got. */
    private record Got(String member, long offset, long atNs) {}

    @ParameterizedTest(name = "automatic commits every {0} ms")
    @ValueSource(longs = {0, 500})
    void nothingIsLostAndOnlyWhatWasNotCommittedComesAgain(long autoCommitMs) throws Exception {
        String topic = "pull_killed_" + autoCommitMs;
        try (MemberCluster cluster = MemberCluster.start(folder)) {
            List<MessageQueue> queues = cluster.topic(topic, QUEUES);
            MemberSettings settings = MemberSettings.of(MemberSettings.Kind.PULL, cluster.namesrv(), topic, topic)
                    .batchSize(BATCH)
                    .autoCommitMs(autoCommitMs);
            Member stays = cluster.member("stays", settings);
            Member dies = cluster.member("dies", settings);
            stays.awaitStarted();
            dies.awaitStarted();
            try (PacedSender sender = new PacedSender(cluster.namesrv(), queues, PER_SECOND)) {
                awaitShare(dies, QUEUES / 2);
                Map<Integer, Long> committed = Awaitility.await("commits of every queue")
                        .atMost(PATIENCE)
                        .until(
                                () -> committed(cluster, topic, queues),
                                known -> known.values().stream().allMatch(offset -> offset > 0));
                dies.kill();
                Member comes = cluster.member("comes", settings);
                awaitShare(comes, QUEUES / 2);
                sender.stop();
                awaitEnd(cluster, sender);
                comes.leave();
                stays.leave();
                Map<Integer, List<Got>> got = got(cluster);
                checkNothingIsLost(got, sender, topic);
                checkRepetitions(got, dies, committed);
            }
        }
    }

    /** Waits until a member has consumed of that many queues, more than once of each, so that commits were due. */
    private static void awaitShare(Member member, int count) {
        Awaitility.await(count + " queues of " + member)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> member.notes(Note.Kind.DONE)
                                .map(Note::queueId)
                                .distinct()
                                .filter(queue -> member.notes(Note.Kind.DONE)
                                                .filter(note -> note.queueId() == queue)
                                                .count()
                                        > 20)
                                .count()
                        >= count);
    }

    private static Map<Integer, Long> committed(MemberCluster cluster, String group, List<MessageQueue> queues)
            throws ClientException {
        Map<Integer, Long> committed = new HashMap<>();
        for (MessageQueue queue : queues) {
            committed.put(
                    queue.queueId(),
                    cluster.admin().groups().offset(group, queue).orElse(0));
        }
        return committed;
    }

    private static void awaitEnd(MemberCluster cluster, PacedSender sender) {
        Awaitility.await("the end of all queues")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> sender.ends().entrySet().stream()
                        .allMatch(end -> cluster.members().stream()
                                .flatMap(member -> member.notes(Note.Kind.DONE))
                                .anyMatch(note -> note.queueId() == end.getKey().queueId()
                                        && note.endOffset() == end.getValue())));
    }

    /** What was got of each queue, message by message in the order of time. */
    private static Map<Integer, List<Got>> got(MemberCluster cluster) {
        Map<Integer, List<Got>> got = new HashMap<>();
        for (Member member : cluster.members()) {
            member.notes(Note.Kind.DONE).forEach(note -> {
                for (long offset = note.offset(); offset < note.endOffset(); offset++) {
                    got.computeIfAbsent(note.queueId(), queue -> new ArrayList<>())
                            .add(new Got(member.name(), offset, note.timeNs()));
                }
            });
        }
        got.values().forEach(all -> all.sort(Comparator.comparingLong(Got::atNs).thenComparingLong(Got::offset)));
        return got;
    }

    private static void checkNothingIsLost(Map<Integer, List<Got>> got, PacedSender sender, String topic) {
        for (int queue = 0; queue < QUEUES; queue++) {
            long end = sender.ends().getOrDefault(new LockPromise.Queue(topic, queue), 0L);
            assertThat(got.getOrDefault(queue, List.of()).stream()
                            .mapToLong(Got::offset)
                            .distinct())
                    .as("offsets of queue %d", queue)
                    .hasSize((int) end);
        }
    }

    /** Of the member that was killed comes again what it had not committed, of the others what was in their last poll. */
    private static void checkRepetitions(Map<Integer, List<Got>> got, Member dies, Map<Integer, Long> committed) {
        got.forEach((queue, all) -> {
            Map<Long, Got> last = new HashMap<>();
            int handedOver = 0;
            for (Got one : all) {
                Got before = last.put(one.offset(), one);
                if (before == null) {
                    continue;
                }
                assertThat(one.member())
                        .as("to whom %s of queue %d comes again", before, queue)
                        .isNotEqualTo(before.member());
                if (before.member().equals(dies.name())) {
                    assertThat(one.offset())
                            .as("committed before the kill, queue %d: %s", queue, before)
                            .isGreaterThanOrEqualTo(committedBy(dies, queue, committed));
                } else {
                    handedOver++;
                }
            }
            assertThat(handedOver)
                    .as("come again although nobody died, queue %d", queue)
                    .isLessThanOrEqualTo(HANDOVERS * BATCH);
        });
    }

    /** The newest position the dead member, or the broker for it, was known to have committed. */
    private static long committedBy(Member dies, int queue, Map<Integer, Long> asked) {
        return dies.notes(Note.Kind.COMMITTED)
                .filter(note -> note.queueId() == queue)
                .mapToLong(Note::offset)
                .reduce(asked.getOrDefault(queue, 0L), Math::max);
    }
}
