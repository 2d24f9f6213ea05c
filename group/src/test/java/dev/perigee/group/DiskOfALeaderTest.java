package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.append.AppendResult;
import org.junit.jupiter.api.Test;

/** A leader whose disk takes no more leads no more, as long as another one's does, and nothing that it acknowledged is lost. */
final class DiskOfALeaderTest {
    private static final long HANGS_MS = 20_000;
    private static final long ROOM_BYTES = 1L << 39;
    /** An election timeout until it is noticed, a transfer that is given up, and an election. */
    private static final long WITHIN_MS = 5_000;

    private static SteppedGroup withAcknowledged(long seed) throws Exception {
        SteppedGroup group = SteppedGroup.began(seed, 3);
        GroupNode leader = group.leader();
        for (int i = 0; i < 20; i++) {
            leader.send(200);
        }
        group.await("acknowledgements", () -> leader.acknowledged.size() == 20);
        group.awaitLevel();
        return group;
    }

    private static void awaitAnother(SteppedGroup group, GroupNode first) throws Exception {
        long beganMs = group.passedMs();
        GroupNode next = group.leaderBut(first);
        assertThat(group.passedMs() - beganMs).isLessThanOrEqualTo(WITHIN_MS);
        assertThat(first.leads()).isFalse();
        for (var message : first.acknowledged.entrySet()) {
            assertThat(next.read(message.getKey())).contains(message.getValue());
        }
        next.send(10);
        group.await("an acknowledgement of the next", () -> next.acknowledged.size() == 1);
    }

    @Test
    void aLeaderWhoseForceHangsStepsDownWhileItHangs() throws Exception {
        SteppedGroup group = withAcknowledged(51);
        GroupNode first = group.leader();
        first.stallDisk(HANGS_MS);
        first.send(300);

        awaitAnother(group, first);

        group.awaitLevel();
        assertThat(group.faults()).isEmpty();
    }

    @Test
    void aLeaderWhoseDiskIsFullHandsOverToOneThatHasRoomAndGoesOnAsItsFollower() throws Exception {
        SteppedGroup group = withAcknowledged(52);
        GroupNode first = group.leader();
        first.disk.fillUp();
        for (int i = 0; i < 100; i++) {
            first.send(1_000);
            group.run(SteppedGroup.STEP_MS);
        }

        awaitAnother(group, first);

        assertThat(first.results).contains(AppendResult.APPENDED);
        first.disk.freeBytes(ROOM_BYTES);
        group.awaitLevel();
        assertThat(group.faults()).isEmpty();
    }

    @Test
    void aLeaderWhoseForceFailsLeadsNoMoreAndSaysOfNothingThatWaitedForItThatItIsStored() throws Exception {
        SteppedGroup group = withAcknowledged(53);
        GroupNode first = group.leader();
        first.disk.failForces(1);
        int before = first.acknowledged.size();
        first.send(300);
        group.await("that it stops", () -> !first.faults.isEmpty());
        first.kill();

        GroupNode next = group.leaderBut(first);
        assertThat(first.acknowledged).hasSize(before);
        first.open();
        next.send(10);
        group.await("an acknowledgement of the next", () -> next.acknowledged.size() == 1);
        group.awaitLevel();
    }
}
