package dev.perigee.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.replica.StreamLimits;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How fast a member is fed that is far behind (R35). */
final class GroupPacingTest {
    private static final int PORT = 12_100;
    private static final int BODY_BYTES = 20_000;
    private static final int MESSAGES = (StreamLimits.WINDOW_BYTES + (4 << 20)) / BODY_BYTES;

    @Test
    void aMemberThatIsFarBehindIsFedNoFasterThanTheSettingsSay() throws Exception { // R6-13
        SteppedGroup group = new SteppedGroup(43, 0);
        List<GroupConfig.Peer> peers = IntStream.range(0, 3)
                .mapToObj(i -> new GroupConfig.Peer("n" + i, SteppedGroup.address(PORT + i)))
                .toList();
        for (int i = 0; i < 3; i++) {
            GroupConfig config =
                    new GroupConfig("cluster", "broker-a", "broker-a", "n" + i, peers, 1_000, 150, 1 << 20);
            group.another(config, PORT + i).open();
        }
        GroupNode leader = group.leader();
        GroupNode away = group.others(leader).get(0);
        group.awaitLevel();
        away.kill();
        for (int i = 0; i < MESSAGES; i++) {
            leader.send(BODY_BYTES);
            group.run(SteppedGroup.STEP_MS);
        }
        group.await("acknowledgements without it", () -> leader.acknowledged.size() == MESSAGES);

        away.open();
        long before = away.log().endOffset();
        group.await("that it is fed", () -> away.log().endOffset() > before);
        group.run(2_000);

        assertThat(away.log().endOffset() - before)
                .as("in two seconds, at one MiB a second")
                .isLessThan(4 << 20);
        group.awaitLevel();
    }
}
