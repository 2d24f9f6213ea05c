package dev.perigee.sim.mutant;

import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.kind.KindSimulation;
import dev.perigee.sim.kind.Scene;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a {@link MutantProcess} does. */
final class MutantMain {
    /** A run found something. */
    static final int FOUND = 3;

    private static final int FIRST_WORDS = 400;

    private MutantMain() {}

    /** An empty folder, the first and the last seed, and the events, empty for those of the seeds. Ends with 0 when all held. */
    public static void main(String[] args) throws Exception {
        for (long seed = Long.parseLong(args[1]); seed <= Long.parseLong(args[2]); seed++) {
            String found = found(Path.of(args[0]).resolve("seed-" + seed), new Mutant.Killer(seed, args[3]));
            if (!found.isEmpty()) {
                System.out.println("seed " + seed + " found: " + found);
                System.exit(FOUND);
            }
        }
    }

    /** What a run finds that does not hold; empty when all does. */
    static String found(Path folder, Mutant.Killer killer) throws Exception {
        Scene drawn = Scene.of(killer.seed());
        Scene scene = killer.events().isEmpty() ? drawn : new Scene(drawn.layout(), FaultPlan.read(killer.events()));
        Files.createDirectories(folder);
        try {
            String all = String.join("; ", new KindSimulation(killer.seed(), folder, scene).run());
            return all.substring(0, Math.min(FIRST_WORDS, all.length()));
        } catch (RuntimeException | Error e) {
            return e.toString();
        }
    }
}
