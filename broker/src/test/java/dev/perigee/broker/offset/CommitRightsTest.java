package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.MemoryConnections;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.loop.Clock;
import dev.perigee.remoting.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a member's commit may do, by who holds the queue's lock, who read it last, and who asked or committed last. */
final class CommitRightsTest {
    @ParameterizedTest
    @CsvSource({
        // holder, last reader, mover, right, other
        ",    ,    me,  OBEY,",
        ",    ,    you, RAISE,      you",
        ",    ,    ,    RAISE,",
        ",    me,  me,  OBEY,",
        ",    me,  you, RAISE,      you",
        ",    me,  ,    RAISE,",
        ",    you, me,  STALE,      you",
        "me,  ,    ,    OBEY,",
        "me,  you, you, OBEY,",
        "you, ,    me,  NOT_HOLDER, you",
        "you, me,  me,  NOT_HOLDER, you",
        "you, she, me,  NOT_HOLDER, you",
    })
    void theLockCountsMoreThanWhoReadLastAndThatMoreThanWhoMovedIt(
            String holder, String lastReader, String mover, CommitRights.Right right, String other) {
        assertThat(CommitRights.decide("me", holder, lastReader, mover))
                .isEqualTo(new CommitRights.Verdict(right, other));
    }

    /** R11-04: what it asked or committed could not be remembered, so it was never obeyed again. */
    @Test
    void whoIsConnectedSinceBeforeALeadershipIsObeyedWhereNothingIsRememberedForWantOfRoom() throws Exception {
        Connection before = new MemoryConnections(1).get(0);

        assertThat(rightsSince(before.openedMs() + 1, 1)
                        .of("g", "T", 0, 1, before)
                        .right())
                .isEqualTo(CommitRights.Right.RAISE);
        assertThat(rightsSince(before.openedMs() + 1, 0)
                        .of("g", "T", 0, 1, before)
                        .right())
                .isEqualTo(CommitRights.Right.OBEY);
    }

    private static CommitRights rightsSince(long beganMs, int maxQueues) {
        PullPositions positions = new PullPositions(maxQueues);
        positions.beginAnew(beganMs);
        return new CommitRights(
                new ClientRegistry((was, is) -> {}),
                new QueueLocks(List.of(), 0),
                positions,
                new BrokerIdentity("c", "broker-a", 0, "127.0.0.1", 10_911, 10_912),
                Clock.system());
    }
}
