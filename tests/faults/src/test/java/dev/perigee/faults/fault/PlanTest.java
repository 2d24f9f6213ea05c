package dev.perigee.faults.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.faults.fault.Plan.Episode;
import dev.perigee.faults.fault.Plan.Overlap;
import dev.perigee.faults.fault.Plan.Planned;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class PlanTest {
    private static final List<FaultKind> ALL = Arrays.asList(FaultKind.values());
    private static final int FAULTS = 40;

    private static List<Plan> plans(int nodes, Overlap overlap) {
        return LongStream.range(0, 200)
                .mapToObj(seed -> Plan.draw(seed, FAULTS, ALL, nodes, overlap))
                .toList();
    }

    private static long nodesOf(Episode episode) {
        return episode.faults().stream().mapToInt(Planned::node).distinct().count();
    }

    @Test
    void aSeedHasOnePlan() {
        assertThat(Plan.draw(7, FAULTS, ALL, 3, Overlap.MINORITY))
                .isEqualTo(Plan.draw(7, FAULTS, ALL, 3, Overlap.MINORITY))
                .isNotEqualTo(Plan.draw(8, FAULTS, ALL, 3, Overlap.MINORITY));
    }

    @Test
    void everyPlanHasAsManyFaultsAsAskedForAndEveryKindEquallyOften() {
        assertThat(plans(2, Overlap.ONE_NODE)).allSatisfy(plan -> {
            assertThat(plan.size()).isEqualTo(FAULTS);
            for (FaultKind kind : ALL) {
                assertThat(plan.episodes().stream()
                                .flatMap(episode -> episode.faults().stream())
                                .filter(planned -> planned.kind() == kind))
                        .as(kind.toString())
                        .hasSizeBetween(FAULTS / ALL.size() - 1, FAULTS / ALL.size() + 1);
            }
        });
    }

    @Test
    void withoutOverlapThereIsOneFaultAtATime() {
        assertThat(plans(3, Overlap.NONE))
                .allSatisfy(plan -> assertThat(plan.episodes())
                        .allSatisfy(episode -> assertThat(episode.faults()).hasSize(1)));
    }

    @Test
    void onOneNodeAtATimeFaultsOverlapOnThatNodeOnlyAndAreOfDifferentKinds() {
        List<Episode> doubles = plans(3, Overlap.ONE_NODE).stream()
                .flatMap(plan -> plan.episodes().stream())
                .filter(episode -> episode.faults().size() > 1)
                .toList();
        assertThat(doubles).hasSizeGreaterThan(500).allSatisfy(episode -> {
            assertThat(nodesOf(episode)).isEqualTo(1);
            assertThat(episode.faults())
                    .extracting(Planned::kind)
                    .doesNotHaveDuplicates()
                    .doesNotContain(FaultKind.POWER_LOSS, FaultKind.PROMOTE);
            assertThat(episode.faults().get(1).startMs())
                    .isLessThan(episode.faults().get(0).healMs());
        });
    }

    @Test
    void halfOfTheNodesAreNeverHurtAtATime() {
        assertThat(plans(3, Overlap.MINORITY))
                .allSatisfy(plan -> assertThat(plan.episodes())
                        .allSatisfy(episode -> assertThat(nodesOf(episode)).isEqualTo(1)));
        assertThat(plans(5, Overlap.MINORITY).stream()
                        .flatMap(plan -> plan.episodes().stream())
                        .mapToLong(PlanTest::nodesOf))
                .contains(2L)
                .allMatch(nodes -> nodes <= 2);
    }

    @Test
    void everyNodeIsHurt() {
        assertThat(plans(3, Overlap.ONE_NODE))
                .allSatisfy(plan -> assertThat(plan.episodes().stream()
                                .flatMap(episode -> episode.faults().stream())
                                .map(Planned::node)
                                .distinct())
                        .containsExactlyInAnyOrder(0, 1, 2));
    }

    @Test
    void aPlanOfNothingIsRefused() {
        assertThatThrownBy(() -> Plan.draw(1, 0, ALL, 1, Overlap.NONE)).hasMessageContaining("0 faults");
        assertThatThrownBy(() -> Plan.draw(1, 1, List.of(), 1, Overlap.NONE)).hasMessageContaining("of []");
    }

    @Test
    void kindsAreReadFromTheirNames() {
        assertThat(FaultKind.listOf("kill, one-way-loss")).containsExactly(FaultKind.KILL, FaultKind.ONE_WAY_LOSS);
        assertThat(FaultKind.POWER_LOSS).hasToString("power-loss");
    }
}
