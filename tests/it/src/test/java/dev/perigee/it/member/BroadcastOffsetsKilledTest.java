package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.stats.ResetOffsetBody;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A broadcasting consumer that is killed again and again goes on where its file of positions says, which is always whole. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
final class BroadcastOffsetsKilledTest {
    private static final String TOPIC = "broadcast_killed";
    private static final String GROUP = "broadcast_killed_group";
    private static final int QUEUES = 4;
    private static final int PER_SECOND = 400;
    private static final int KILLS = 7;
    /** Of those that are killed at any instant. Positions are written every 5 s. */
    private static final int LONGEST_LIFE_MS = 2_000;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final Random random = new Random(20261130);
    private final Map<Integer, BitSet> consumed = new HashMap<>();

    @Test
    void theFileOfPositionsIsWholeAndNothingIsSkippedAfterSevenKills() throws Exception {
        try (MemberCluster cluster = MemberCluster.start(folder)) {
            List<MessageQueue> queues = cluster.topic(TOPIC, QUEUES);
            MemberSettings settings = MemberSettings.of(MemberSettings.Kind.BROADCAST, cluster.namesrv(), GROUP, TOPIC);
            try (PacedSender sender = new PacedSender(cluster.namesrv(), queues, PER_SECOND)) {
                Map<Integer, Long> stored = Map.of();
                int moved = 0;
                for (int kill = 0; kill < KILLS; kill++) {
                    Member member = cluster.member("broadcasting", settings);
                    live(member, kill);
                    member.kill();
                    checkStart(member, stored);
                    Map<Integer, Long> next = stored();
                    checkPositions(next, stored);
                    moved += next.equals(stored) ? 0 : 1;
                    stored = next;
                }
                assertThat(moved).as("kills before which the file had moved on").isGreaterThanOrEqualTo(KILLS / 3);
                sender.stop();
                Member last = cluster.member("broadcasting", settings);
                Awaitility.await("the end of all queues").atMost(PATIENCE).until(() -> isAtEnd(last, sender));
                last.leave();
                checkStart(last, stored);
                sender.ends()
                        .forEach((queue, end) -> assertThat(firstMissing(queue.queueId()))
                                .as("skipped in %s", queue)
                                .isEqualTo(end));
            }
        }
    }

    private static boolean isAtEnd(Member member, PacedSender sender) {
        return sender.ends().entrySet().stream()
                .allMatch(end -> member.notes(Note.Kind.DONE)
                        .anyMatch(note ->
                                note.queueId() == end.getKey().queueId() && note.endOffset() == end.getValue()));
    }

    /** When a member is killed; by turns. */
    private enum Moment {
        /** At any instant, mostly before it has written its file. */
        ANY,
        /** Once its file has moved on. */
        FILE_MOVED,
        /** While it writes its file, or a moment later. */
        WRITING
    }

    private void live(Member member, int kill) throws IOException, BadBodyException {
        Map<Integer, Long> before = stored();
        FileTime writtenBefore = lastWrite();
        member.await("first message", () -> member.first(Note.Kind.DONE).isPresent());
        Moment moment = Moment.values()[kill % Moment.values().length];
        long endNs = System.nanoTime()
                + Duration.ofMillis(random.nextInt(LONGEST_LIFE_MS)).toNanos();
        Awaitility.await("kill " + kill + ": " + moment)
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> isTime(moment, endNs, before, writtenBefore));
    }

    private boolean isTime(Moment moment, long endNs, Map<Integer, Long> before, FileTime writtenBefore)
            throws IOException, BadBodyException {
        return switch (moment) {
            case ANY -> System.nanoTime() >= endNs;
            case FILE_MOVED -> !stored().equals(before);
            case WRITING -> !lastWrite().equals(writtenBefore) || !stored().equals(before);
        };
    }

    /** When a member last began to write; one that was killed meanwhile leaves what it had written. */
    private FileTime lastWrite() throws IOException {
        try {
            return Files.getLastModifiedTime(file("offsets.json.tmp"));
        } catch (NoSuchFileException e) {
            return FileTime.fromMillis(0); // it has taken the place of the file since
        }
    }

    /** One of the files of positions, wherever the client keeps them. */
    private Path file(String name) throws IOException {
        Path home = folder.resolve("broadcasting").resolve("offsets");
        if (!Files.exists(home)) {
            return home.resolve(name);
        }
        try (Stream<Path> clients = Files.list(home)) {
            return clients.findFirst().orElse(home).resolve(GROUP).resolve(name);
        }
    }

    /** What the file says; empty when there is none yet. Fails when it is not whole. */
    private Map<Integer, Long> stored() throws IOException, BadBodyException {
        Path file = file("offsets.json");
        if (!Files.exists(file)) {
            return Map.of();
        }
        Map<Integer, Long> positions = new HashMap<>();
        Json.read(Files.readAllBytes(file), ResetOffsetBody.class)
                .offsetTable()
                .forEach((queue, offset) -> positions.put(queue.queueId(), offset));
        return positions;
    }

    /** Nothing comes again that the file said was consumed. */
    private void checkStart(Member member, Map<Integer, Long> stored) {
        member.notes(Note.Kind.DONE).forEach(note -> {
            assertThat(note.offset())
                    .as("of queue %d, which went on from %s", note.queueId(), stored)
                    .isGreaterThanOrEqualTo(stored.getOrDefault(note.queueId(), 0L));
            consumed.computeIfAbsent(note.queueId(), queue -> new BitSet()).set((int) note.offset());
        });
    }

    /** The file never goes back, and says of nothing that it was consumed that was not. */
    private void checkPositions(Map<Integer, Long> now, Map<Integer, Long> before) {
        assertThat(now.keySet()).containsAll(before.keySet());
        now.forEach((queue, offset) -> assertThat(offset)
                .as("stored position of queue %d", queue)
                .isBetween(before.getOrDefault(queue, 0L), firstMissing(queue)));
    }

    private long firstMissing(int queue) {
        return consumed.getOrDefault(queue, new BitSet()).nextClearBit(0);
    }
}
