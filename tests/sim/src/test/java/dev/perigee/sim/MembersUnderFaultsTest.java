package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultEvent;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.kind.GroupScene;
import dev.perigee.sim.kind.KindSimulation;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole brokers of a group under load of every kind of message, while processes, power, roads, disks and clocks fail, leadership is
 * moved and members are replaced: every seed mixes all of it.
 */
final class MembersUnderFaultsTest {
    private static final long SEEDS = 3;
    private static final long MORE_SEEDS = 60;
    private static final long PLANS = 300;
    private static final long FIRST_PLANS = 120;

    private static KindSimulation held(long seed, Path folder) throws Exception {
        KindSimulation run = new FaultRun<>(FaultRun.MEMBERS, seed, folder).check();

        Map<GroupScene.Mixed, Integer> mixed = GroupScene.counts(run.happened());
        System.out.println("group of seed " + seed + ": " + mixed + ", " + run.onMajority() + " acknowledged");
        if (System.getProperty("sim.events") == null) {
            assertThat(mixed)
                    .as("seed %d: what went wrong under load", seed)
                    .allSatisfy((kind, count) ->
                            assertThat(count).as(kind.toString()).isPositive());
        }
        return run;
    }

    @Seeded(count = SEEDS)
    void everySeedHolds(long seed, @TempDir Path folder) throws Exception {
        KindSimulation run = held(seed, folder);

        assertThat(run.onMajority()).as("seed %d: acknowledged", seed).isGreaterThan(50);
        assertThat(run.locksGranted()).as("seed %d: locks granted", seed).isPositive();
    }

    @Tag("full")
    @Seeded(first = SEEDS, count = MORE_SEEDS)
    void everyOneOfMoreSeedsHolds(long seed, @TempDir Path folder) throws Exception {
        held(seed, folder);
    }

    @Test
    void everyPlanMixesCrashesPartitionsDisksAndMembers() {
        for (long seed = 0; seed < PLANS; seed++) {
            Layout layout = GroupScene.layout(seed);
            assertThat(GroupScene.counts(GroupScene.drawn(seed, layout).kinds()))
                    .as("seed %d", seed)
                    .allSatisfy((kind, count) -> assertThat(count).isPositive());
        }
    }

    @Test
    void theSeedsDrawEveryLayoutAndEverythingThatCanGoWrongWithAGroup() {
        Set<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
        Set<Layout> layouts = new HashSet<>();
        for (long seed = 0; seed < FIRST_PLANS; seed++) {
            Layout layout = GroupScene.layout(seed);
            layouts.add(layout);
            GroupScene.drawn(seed, layout).events().stream()
                    .map(FaultEvent::kind)
                    .forEach(drawn::add);
        }
        assertThat(drawn)
                .containsExactlyInAnyOrderElementsOf(
                        EnumSet.complementOf(EnumSet.of(FaultKind.ROT, FaultKind.PROMOTE, FaultKind.HEAL)));
        assertThat(layouts).hasSize(6);
    }

    @Test
    void noMemberLosesItsPowerThatAnswersForWhatItHasNotForced() {
        for (long seed = 0; seed < PLANS; seed++) {
            Layout layout = GroupScene.layout(seed);
            if (!layout.brokers().get(0).forces()) {
                assertThat(GroupScene.drawn(seed, layout).kinds())
                        .as("seed %d", seed)
                        .doesNotContainKeys(FaultKind.POWER_LOSS, FaultKind.POWER_LOSS_IN_CALL);
            }
        }
    }
}
