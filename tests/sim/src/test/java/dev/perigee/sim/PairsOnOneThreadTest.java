package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultEvent;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.fault.OneAtATime;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.sim.kind.PairScene;
import dev.perigee.sim.kind.Scene;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of message on a master with one slave or two, while one node fails at a time or faults overlap. */
final class PairsOnOneThreadTest {
    private static final long SEEDS = 50;
    private static final long MORE_SEEDS = 100;
    private static final long PLANS = 1_000;
    private static final long FIRST_PLANS = 120;

    @Seeded(count = SEEDS)
    void everySeedHolds(long seed, @TempDir Path folder) throws Exception {
        KindSimulation run = new FaultRun<>(FaultRun.PAIRS, seed, folder).check();

        assertThat(run.frames()).as("seed %d: frames", seed).isGreaterThan(100);
        if (PairScene.layout(seed).brokers().get(0).role() == Layout.Role.SYNC_MASTER) {
            assertThat(run.copies().checked())
                    .as("seed %d: acknowledged by a master that waits", seed)
                    .isPositive();
        }
    }

    @Tag("full")
    @Seeded(first = SEEDS, count = MORE_SEEDS)
    void everyOneOfMoreSeedsHolds(long seed, @TempDir Path folder) throws Exception {
        new FaultRun<>(FaultRun.PAIRS, seed, folder).check();
    }

    /** A reader whose route is old asked the slave for what lay below a queue's first offset, and asked again at once, without end. */
    @Test
    void aReaderThatTakesTheSlaveForTheMasterComesToRest(@TempDir Path folder) throws Exception {
        FaultPlan plan = FaultPlan.read("7119:RESTART:broker-a:-:1121:0,7289:PROMOTE:broker-a.2:broker-a:958:0,"
                + "7456:PART:broker-a.2:broker-a:1078:0,9500:HEAL:broker-a:-:0:0");

        KindSimulation run = new KindSimulation(36, folder, new Scene(PairScene.layout(36), plan));

        assertThat(run.run()).isEmpty();
        assertThat(run.promotions()).isEqualTo(1);
    }

    @Test
    void inHalfOfThePlansOneNodeFailsAtATime() {
        for (long seed = 0; seed < PLANS; seed++) {
            assertThat(OneAtATime.holds(
                            PairScene.of(seed).plan(), PairScene.layout(seed).brokerNames()))
                    .as("seed %d", seed)
                    .isEqualTo(PairScene.isOneAtATime(seed));
        }
    }

    @Test
    void theSeedsDrawEveryLayoutAndEverythingThatCanGoWrong() {
        Set<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
        Set<Layout> layouts = new HashSet<>();
        for (long seed = 0; seed < FIRST_PLANS; seed++) {
            layouts.add(PairScene.layout(seed));
            PairScene.of(seed).plan().events().stream().map(FaultEvent::kind).forEach(drawn::add);
        }
        assertThat(drawn).containsExactlyInAnyOrderElementsOf(FaultKind.ofPairs());
        assertThat(layouts).hasSizeGreaterThan(30);
    }

    @Test
    void someOfTheSeedsOfEveryBuildWaitForBothSlaves() {
        long waiting = LongStream.range(0, SEEDS)
                .mapToObj(seed -> PairScene.layout(seed).brokers().get(0))
                .filter(master -> master.role() == Layout.Role.SYNC_MASTER && master.copies() == 3)
                .count();
        assertThat(waiting).isBetween(5L, SEEDS / 5);
    }

    @Test
    void aFifthOfTheSeedsOfEveryBuildChangesItsMaster() {
        long changing = LongStream.range(0, SEEDS)
                .filter(seed -> PairScene.of(seed).plan().kinds().containsKey(FaultKind.PROMOTE))
                .count();
        assertThat(changing).isGreaterThan(SEEDS / 5);
    }
}
