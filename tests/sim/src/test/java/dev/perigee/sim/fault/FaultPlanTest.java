package dev.perigee.sim.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong, as text; and the search for the shortest list of it. */
final class FaultPlanTest {
    private static final FaultPlan.Cast CAST =
            new FaultPlan.Cast(List.of("ns-1"), List.of("broker-a", "broker-b"), List.of("producer"));
    private static final FaultPlan PLAN = FaultPlan.draw(7, CAST, 1_000, 30_000);

    @TempDir
    private Path folder;

    @Test
    void aPlanIsReadAsItWasWritten() throws Exception {
        Path file = Files.writeString(folder.resolve("events"), PLAN.toString().replace(",", "\n") + "\n");

        assertThat(PLAN.events()).hasSizeGreaterThan(5);
        assertThat(FaultPlan.read(PLAN.toString())).isEqualTo(PLAN);
        assertThat(FaultPlan.read("@" + file)).isEqualTo(PLAN);
        assertThat(FaultPlan.read("")).isEqualTo(FaultPlan.NONE);
    }

    @Test
    void aSeedDrawsOnePlanAndAnotherSeedAnother() {
        assertThat(FaultPlan.draw(7, CAST, 1_000, 30_000)).isEqualTo(PLAN);
        assertThat(FaultPlan.draw(8, CAST, 1_000, 30_000)).isNotEqualTo(PLAN);
    }

    @Test
    void whatIsNoEventIsNamed() {
        assertThatThrownBy(() -> FaultPlan.read("12:KILL:broker-a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'12:KILL:broker-a' has 3 fields");
        assertThatThrownBy(() -> FaultPlan.read("12:KILT:broker-a:-:1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("KILT");
    }

    @Test
    void theShortestListIsFoundThatStillFails() throws Exception {
        List<FaultEvent> needed = List.of(PLAN.events().get(1), PLAN.events().get(4));
        Shrinker shrinker = new Shrinker(plan -> plan.events().containsAll(needed), 1_000);

        assertThat(shrinker.shrink(PLAN).events()).isEqualTo(needed);
    }

    @Test
    void nothingIsLeftWhenNoEventIsNeeded() throws Exception {
        assertThat(new Shrinker(plan -> true, 1_000).shrink(PLAN)).isEqualTo(FaultPlan.NONE);
    }

    @Test
    void theSearchEndsAfterSoManyRuns() throws Exception {
        FaultEvent last = PLAN.events().get(PLAN.events().size() - 1);
        Shrinker shrinker = new Shrinker(plan -> plan.events().contains(last), 2);

        assertThat(shrinker.shrink(PLAN).events()).contains(last).hasSizeGreaterThan(1);
        assertThat(shrinker.runs()).isEqualTo(2);
    }
}
