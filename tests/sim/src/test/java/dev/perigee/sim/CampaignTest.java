package dev.perigee.sim;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More seeds than every build has time for. */
final class CampaignTest {
    /** The seeds of {@link GroupsOnOneThreadTest} come before. */
    private static final long FIRST_MORE = 1_000;

    /** About a minute's worth, of every full build. */
    private static final long MORE_SEEDS = 80;

    private static final long MANY_MORE_SEEDS = 150 - MORE_SEEDS;

    @Tag("full")
    @Seeded(first = FIRST_MORE, count = MORE_SEEDS)
    void everyInvariantOfGroupsHoldsOverMoreSeeds(long seed, @TempDir Path folder) throws Exception {
        new FaultRun<>(FaultRun.GROUPS, seed, folder).check();
    }

    @Tag("soak")
    @Seeded(first = FIRST_MORE + MORE_SEEDS, count = MANY_MORE_SEEDS)
    void everyInvariantOfGroupsHoldsOverManyMoreSeeds(long seed, @TempDir Path folder) throws Exception {
        new FaultRun<>(FaultRun.GROUPS, seed, folder).check();
    }

    @Tag("soak")
    @Test
    void everyInvariantOfGroupsHoldsOverSeedsNobodyTriedBefore(@TempDir Path folder) throws Exception {
        new Campaign<>(
                        FaultRun.GROUPS,
                        "sim-groups.txt",
                        run -> "acknowledged=" + run.acknowledged() + " settledLooks=" + run.settledLooks()
                                + " simulatedMs=" + run.simulatedMs())
                .run(folder);
    }

    @Tag("soak")
    @Test
    void everyInvariantOfKindsHoldsOverSeedsNobodyTriedBefore(@TempDir Path folder) throws Exception {
        new Campaign<>(
                        FaultRun.KINDS,
                        "sim-kinds.txt",
                        run -> "stored=" + run.stored() + " frames=" + run.frames() + " refusals=" + run.refusals()
                                + " simulatedMs=" + run.simulatedMs() + " underLoadMs="
                                + run.pace().simulatedMs())
                .run(folder);
    }

    @Tag("soak")
    @Test
    void everyInvariantOfPairsHoldsOverSeedsNobodyTriedBefore(@TempDir Path folder) throws Exception {
        Campaign.ofPairs().run(folder);
    }

    @Tag("soak")
    @Test
    void everyInvariantOfMembersHoldsOverSeedsNobodyTriedBefore(@TempDir Path folder) throws Exception {
        Campaign.ofMembers().run(folder);
    }
}
