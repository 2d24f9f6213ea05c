package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.fault.FaultEvent;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.sim.kind.Scene;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.watch.LogInvariant;
import dev.perigee.store.log.CommitLog;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of message against a plain model, on clusters of several machines in which much goes wrong at once; what must hold of
 * logs, looked at after each event; and the views made anew.
 */
final class KindsOnOneThreadTest {
    private static final long SEEDS = 12;
    private static final long MORE_SEEDS = 150;
    private static final long PLANTED_SEED = 5;

    @Seeded(count = SEEDS)
    void everySeedHolds(long seed, @TempDir Path folder) throws Exception {
        KindSimulation run = new FaultRun<>(FaultRun.KINDS, seed, folder).check();

        assertThat(run.stored()).as("seed %d: stored", seed).isGreaterThan(100);
        assertThat(run.frames()).as("seed %d: frames", seed).isGreaterThan(run.stored());
    }

    @Tag("full")
    @Seeded(first = SEEDS, count = MORE_SEEDS)
    void everyOneOfMoreSeedsHolds(long seed, @TempDir Path folder) throws Exception {
        new FaultRun<>(FaultRun.KINDS, seed, folder).check();
    }

    @Test
    void theSameSeedTakesTheSameCourseAndDoesAllThereIsToDo(@TempDir Path folder) throws Exception {
        KindSimulation one = new FaultRun<>(FaultRun.KINDS, 3, folder.resolve("one")).check();
        KindSimulation two = new FaultRun<>(FaultRun.KINDS, 3, folder.resolve("two")).check();

        assertThat(one.trace()).isEqualTo(two.trace());
        assertThat(one.acts().keySet()).containsExactly(KindSimulation.Act.values());
    }

    @Tag("full")
    @Test
    void aPlantedFaultIsToldByItsShortestListOfEvents(@TempDir Path folder) {
        FaultRun.Simulation<KindSimulation> planted = new FaultRun.Simulation<>(
                "Planted",
                FaultRun.KINDS.plan(),
                (seed, home, plan) -> {
                    KindSimulation run = FaultRun.KINDS.maker().make(seed, home, plan);
                    run.add(verdict -> new NobodyStartsThrice(verdict, new HashMap<>()));
                    return run;
                },
                FaultRun.KINDS.runner(),
                FaultRun.KINDS.trace());
        FaultRun<KindSimulation> run = new FaultRun<>(planted, PLANTED_SEED, folder);

        String told = String.valueOf(catchThrowable(run::check).getMessage());
        Matcher events = Pattern.compile("-Dsim\\.events=(\\S+)").matcher(told);

        assertThat(told).contains("NobodyStartsThrice: broker-", "-Dsim.seed=" + PLANTED_SEED + " ");
        assertThat(events.find()).isTrue();
        assertThat(events.group(1).split(",", -1))
                .as("one end of a broker is enough")
                .hasSize(1);
    }

    /** What cannot hold: no broker ever comes back, but once at the end of every run. */
    private record NobodyStartsThrice(Verdict verdict, Map<String, Integer> starts) implements LogInvariant {
        @Override
        public void started(BrokerMachine machine, CommitLog log) {
            if (starts.merge(machine.name(), 1, Integer::sum) > 2) {
                verdict.broken(getClass(), machine.name());
            }
        }
    }

    @Test
    void theSeedsDrawEverythingThatCanGoWrongAndSomeOfItAtOnce() {
        Set<FaultKind> drawn = EnumSet.noneOf(FaultKind.class);
        long overlaps = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            FaultEvent before = null;
            for (FaultEvent event : Scene.of(seed).plan().events()) {
                drawn.add(event.kind());
                overlaps += before != null && event.atMs() < before.atMs() + before.lastsMs() ? 1 : 0;
                before = event;
            }
        }
        assertThat(drawn).isEqualTo(FaultKind.withoutReplicas());
        assertThat(overlaps).isGreaterThan(SEEDS);
    }
}
