package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.message.MessageQueue;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker that is killed while members commit moves no group back: what a query of an offset returned still counts, and so does what was
 * acknowledged before that, for a query logs all that waits. What is younger may be lost, and only comes again.
 */
@Tag("full")
final class OffsetsSurviveKilledBrokerTest {
    private static final String TOPIC = "offsets_survive";
    private static final String GROUP = "offsets_survive_group";
    private static final int QUEUES = 4;
    private static final int MESSAGES = 60_000;
    private static final int KILLS = 5;

    @TempDir
    private Path folder;

    private final Random random = new Random(20261130);

    @Test
    void noOffsetThatWasReadIsFartherBackAfterFiveKillsOfTheBroker() throws Exception {
        try (MemberCluster cluster = MemberCluster.start(folder)) {
            List<MessageQueue> queues = cluster.topic(TOPIC, QUEUES);
            PacedSender.sendAll(cluster.namesrv(), queues, MESSAGES);
            MemberSettings settings = MemberSettings.of(MemberSettings.Kind.PULL, cluster.namesrv(), GROUP, TOPIC)
                    .batchSize(4)
                    .callMs(2);
            for (int kill = 0; kill < KILLS; kill++) {
                Map<Integer, Long> floor = asked(cluster, queues);
                Member member = cluster.member("committing-" + kill, settings);
                long commits = 20L + random.nextInt(300);
                member.await("commits", () -> member.notes(Note.Kind.COMMITTED).count() >= commits);
                long askedNs = System.nanoTime();
                floor.putAll(asked(cluster, queues));
                long before = member.notes(Note.Kind.COMMITTED).count();
                int more = random.nextInt(100);
                member.await(
                        "more commits", () -> member.notes(Note.Kind.COMMITTED).count() >= before + more);
                cluster.broker().kill();
                member.close(); // before it can commit anew; it may have given up by itself
                cluster.broker().start();
                check(kill, floor, lasting(member, askedNs), asked(cluster, queues));
            }
        }
    }

    /** What queries return now; absent where the group has no offset. */
    private static Map<Integer, Long> asked(MemberCluster cluster, List<MessageQueue> queues) throws ClientException {
        Map<Integer, Long> offsets = new HashMap<>();
        for (MessageQueue queue : queues) {
            cluster.admin().groups().offset(GROUP, queue).ifPresent(offset -> offsets.put(queue.queueId(), offset));
        }
        return offsets;
    }

    /** What was acknowledged before an instant. */
    private static Map<Integer, Long> lasting(Member member, long askedNs) {
        Map<Integer, Long> offsets = new HashMap<>();
        member.notes(Note.Kind.COMMITTED)
                .filter(note -> note.timeNs() < askedNs)
                .forEach(note -> offsets.merge(note.queueId(), note.offset(), Math::max));
        return offsets;
    }

    private static void check(
            int kill, Map<Integer, Long> floor, Map<Integer, Long> lasting, Map<Integer, Long> after) {
        assertThat(floor).as("offsets read before kill %d", kill).isNotEmpty();
        floor.forEach((queue, offset) -> assertThat(after.getOrDefault(queue, -1L))
                .as("offset of queue %d, read before kill %d", queue, kill)
                .isGreaterThanOrEqualTo(offset));
        lasting.forEach((queue, offset) -> assertThat(after.getOrDefault(queue, -1L))
                .as("offset of queue %d, acknowledged before a query, before kill %d", queue, kill)
                .isGreaterThanOrEqualTo(offset));
    }
}
