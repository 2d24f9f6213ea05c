package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FlushMode;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A follower whose disk is full holds nobody up, as long as a majority without it is sure of what it holds. */
final class FullDiskTest {
    private static final long ROOM_BYTES = 1L << 39;
    private static final long FULL_MS = 3_000;
    private static final int BODY_BYTES = 1_000;
    private static final long PROMPT_MS = 200;
    /** To find a member that was just started, and to feed it a few segments. */
    private static final long CAUGHT_UP_MS = 3_000;

    @ParameterizedTest
    @EnumSource(FlushMode.class)
    void aFullDiskAtAFollowerStopsNoSend(FlushMode flush) throws Exception {
        SteppedGroup group = SteppedGroup.began(41, 3, flush);
        GroupNode leader = group.leader();
        GroupNode full = group.others(leader).get(0);
        group.awaitLevel();
        full.disk.fillUp();

        long longestMs = longestWhileSending(group, leader, FULL_MS);

        assertThat(full.store().isOutOfSpace()).isTrue();
        assertThat(longestMs).isLessThanOrEqualTo(PROMPT_MS);
        assertThat(leader.leads()).isTrue();
        awaitAllWhenThereIsRoom(group, full);
    }

    @ParameterizedTest
    @EnumSource(FlushMode.class)
    void aMemberThatWasJustStartedStandsInForTheFullOneAsSoonAsItHasAll(FlushMode flush) throws Exception {
        SteppedGroup group = SteppedGroup.began(42, 3, flush);
        GroupNode leader = group.leader();
        GroupNode full = group.others(leader).get(0);
        GroupNode started = group.others(leader).get(1);
        group.awaitLevel();
        started.kill();
        assertThat(longestWhileSending(group, leader, FULL_MS)).isLessThanOrEqualTo(PROMPT_MS);

        started.open();
        full.disk.fillUp();
        long atFirstMs = longestWhileSending(group, leader, CAUGHT_UP_MS);
        long thenMs = longestWhileSending(group, leader, FULL_MS);

        assertThat(full.store().isOutOfSpace()).isTrue();
        assertThat(atFirstMs).isLessThanOrEqualTo(CAUGHT_UP_MS);
        assertThat(thenMs).isLessThanOrEqualTo(PROMPT_MS);
        assertThat(leader.leads()).isTrue();
        awaitAllWhenThereIsRoom(group, full);
    }

    /** Two of three are not there then: one may have forgotten what it answered for, and the other can take nothing. */
    @Test
    void whoMayHaveForgottenDoesNotStandInForTheFullOneAndSendsWait() throws Exception { // R5
        SteppedGroup group = SteppedGroup.began(43, 3, FlushMode.ASYNC);
        GroupNode leader = group.leader();
        GroupNode full = group.others(leader).get(0);
        GroupNode forgets = group.others(leader).get(1);
        assertThat(longestWhileSending(group, leader, FULL_MS)).isLessThanOrEqualTo(PROMPT_MS);
        group.awaitLevel();
        full.disk.fillUp();
        assertThat(longestWhileSending(group, leader, FULL_MS)).isLessThanOrEqualTo(PROMPT_MS);
        assertThat(full.store().isOutOfSpace()).isTrue();
        forgets.crash();
        forgets.open();
        int before = leader.results.size();

        leader.send(BODY_BYTES);
        group.run(FULL_MS);

        assertThat(forgets.standing().sure()).isFalse();
        assertThat(leader.results).hasSize(before);
        assertThat(leader.leads()).isTrue();
        full.disk.freeBytes(ROOM_BYTES);
        group.await("an acknowledgement", () -> leader.results.size() == before + 1);
        group.await("that it is sure", () -> forgets.standing().sure());
        awaitAllWhenThereIsRoom(group, full);
    }

    /** Sends one message in each step, and gives the longest time that one of them waited for its acknowledgement. */
    private static long longestWhileSending(SteppedGroup group, GroupNode leader, long ms) {
        ArrayDeque<Long> waiting = new ArrayDeque<>();
        long longestMs = 0;
        long endMs = group.passedMs() + ms;
        while (group.passedMs() < endMs || !waiting.isEmpty()) {
            int known = leader.results.size();
            if (group.passedMs() < endMs) {
                leader.send(BODY_BYTES);
                waiting.add(group.passedMs());
            }
            group.run(SteppedGroup.STEP_MS);
            for (; known < leader.results.size(); known++) {
                longestMs = Math.max(longestMs, group.passedMs() - waiting.remove());
            }
            assertThat(group.passedMs())
                    .as("when %d are not acknowledged yet, standing %s", waiting.size(), leader.standing())
                    .isLessThan(endMs + 60_000);
        }
        return longestMs;
    }

    private static void awaitAllWhenThereIsRoom(SteppedGroup group, GroupNode full) {
        full.disk.freeBytes(ROOM_BYTES);
        group.awaitLevel();
        assertThat(group.leader().results).containsOnly(AppendResult.APPENDED);
        assertThat(group.faults()).isEmpty();
    }
}
