package dev.perigee.replica.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.replica.HelloHeader;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each line names who or what is meant, and what can be done. */
final class WaitReasonsTest {
    private static final HelloHeader THEIRS =
            new HelloHeader("c", "b", 2, "n2", "1f", 7, "a7", 100, 900, 800, 1, 1, 4_711, 4_712, 1 << 20, false);

    @Test
    void thoseThatAreMissingAreNamed() {
        assertThat(WaitReasons.missing(List.of(new InSyncMember(1, "n1"), new InSyncMember(2, "unknown"))))
                .isEqualTo("the start waits for replicas that the log names as in sync, or that have more than it:"
                        + " brokerId 1 (node n1), brokerId 2 (node unknown);"
                        + " --accept-loss starts without them, and gives up what only they have");
    }

    @Test
    void aReplicaOfALaterReleaseIsNamedWithWhatWasNotUnderstood() {
        assertThat(WaitReasons.laterRelease(THEIRS, "kind 'X' at offset 5"))
                .isEqualTo("this node does not begin as a master: brokerId 2 (node n2) has what a later release wrote,"
                        + " kind 'X' at offset 5: start this node with that release, or a later one");
    }

    @Test
    void aReplicaThatPartedIsNamedWithHowFarItAndThisNodeAre() {
        assertThat(WaitReasons.parted(THEIRS, 850))
                .isEqualTo("this node does not begin as a master: the log of brokerId 2 (node n2) is in epoch 7,"
                        + " ends at 900, confirmed to 800, and parted from this one, which ends at 850:"
                        + " start this node as its slave; or --accept-loss gives up what only that one has");
    }

    @Test
    void aReplicaWithALogIsNamedWhereThisNodeHasNone() {
        assertThat(WaitReasons.anotherLog(THEIRS))
                .isEqualTo("this node does not begin a log: its folder is empty, and brokerId 2 (node n2) has log 1f,"
                        + " which ends at 900, confirmed to 800: make that one the master and start this one as its"
                        + " slave; or --accept-loss begins a new log, and gives up what is in that one");
    }

    @Test
    void whatThisNodeLostOrMayHaveForgottenIsSaidWithItsEnd() {
        assertThat(WaitReasons.lost(900, 850))
                .isEqualTo("this node does not begin as a master: it knew all below 900 to be confirmed, its log ends"
                        + " at 850, and no replica that came has more: start the one that has; or --accept-loss gives"
                        + " that up");
        assertThat(WaitReasons.mayHaveForgotten(850))
                .isEqualTo("this node does not begin as a master: it was a slave whose log may have lost acknowledged"
                        + " messages, when its machine went down or its end was cut off, and it was not filled again"
                        + " since; its log ends at 850: start it as the slave of the one that was its master; or"
                        + " --accept-loss gives up what is missing");
    }
}
