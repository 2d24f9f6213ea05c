package dev.perigee.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.raft.RaftConfig.HeldWhen;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.raft.member.Member;
import dev.perigee.raft.member.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Raft §5.2, §9.3: when a node stands that hears nobody is drawn, and drawn anew each time, so that votes are seldom split. */
final class ElectionTimeoutsTest {
    private static final long TIMEOUT_MS = 1_000;
    private static final long HEARTBEAT_MS = 150;
    private static final int TIMES = 20;
    private static final Members MEMBERS = Members.ofVoters(
            List.of(new Member("n0", 1, "a:1"), new Member("n1", 2, "b:1"), new Member("n2", 3, "c:1")));

    /** How long a node that nobody answers lets pass before it asks, again and again. */
    private static List<Long> waits(LongSupplier randoms) {
        RaftNode node = new RaftNode(
                new RaftConfig("n0", 1, MEMBERS, TIMEOUT_MS, HEARTBEAT_MS, HeldWhen.FORCED),
                new Recovered(Vote.NONE, LogEnd.EMPTY, 1, 0, List.of(), Condition.SOUND),
                randoms);
        List<Long> waits = new ArrayList<>();
        long askedMs = 0;
        for (long nowMs = 0; waits.size() < TIMES; nowMs++) {
            if (!node.tick(nowMs).send().isEmpty()) {
                waits.add(nowMs - askedMs);
                askedMs = nowMs;
            }
        }
        return waits;
    }

    @Test
    void eachIsDrawnFromOneTimeoutUpToTwo() {
        LongSupplier drawn = LongStream.iterate(7_919, number -> number * 6_364_136_223_846_793_005L + 1)
                .iterator()::nextLong;

        List<Long> waits = waits(drawn);

        assertThat(waits).allMatch(ms -> ms >= TIMEOUT_MS && ms < 2 * TIMEOUT_MS + HEARTBEAT_MS);
        assertThat(new TreeSet<>(waits)).as("different ones").hasSizeGreaterThan(TIMES / 2);
    }

    @Test
    void itIsAsLongAsTheNumberSays() {
        assertThat(waits(() -> 0)).containsOnly(TIMEOUT_MS);
        assertThat(waits(() -> TIMEOUT_MS - 1)).containsOnly(2 * TIMEOUT_MS - 1);
        assertThat(waits(() -> -1)).as("whatever its sign").containsOnly(2 * TIMEOUT_MS - 1);
    }
}
