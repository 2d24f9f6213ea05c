package dev.perigee.sim.mutant;

import dev.perigee.sim.cluster.BrokerStopsException;
import dev.perigee.sim.kind.KindSimulation;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a {@link MutantProcess} does. */
final class MutantMain {
    /** A run found something that does not hold. */
    static final int FOUND = 3;

    private static final int FIRST_WORDS = 400;

    private MutantMain() {}

    /**
     * An empty folder, the stage, the first and the last seed, and the events, empty for those of the seeds. Ends with 0 when all held,
     * and otherwise than with {@link #FOUND} when a run did not come to an end: that says nothing about the mutant.
     */
    public static void main(String[] args) throws Exception {
        Mutant.Stage stage = Mutant.Stage.valueOf(args[1]);
        for (long seed = Long.parseLong(args[2]); seed <= Long.parseLong(args[3]); seed++) {
            Path folder = Path.of(args[0]).resolve("seed-" + seed);
            String found = found(folder, new Mutant.Killer(stage, seed, args[4]));
            if (!found.isEmpty()) {
                System.out.println("seed " + seed + " found: " + found);
                System.exit(FOUND);
            }
        }
    }

    /**
     * What a run says that does not hold, or a broker by stopping; empty when all does. What else is thrown is no word about what must
     * hold.
     */
    static String found(Path folder, Mutant.Killer killer) throws Exception {
        Files.createDirectories(folder);
        String all;
        try {
            all = String.join("; ", new KindSimulation(killer.seed(), folder, killer.scene()).run());
        } catch (BrokerStopsException e) {
            all = String.valueOf(e.getMessage());
        }
        return all.substring(0, Math.min(FIRST_WORDS, all.length()));
    }
}
