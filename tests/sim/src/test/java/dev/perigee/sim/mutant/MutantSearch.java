package dev.perigee.sim.mutant;

import java.nio.file.Files;
import java.nio.file.Path;

/** Looks for seeds that find mutants, for whoever adds one to the list. */
final class MutantSearch {
    private static final long PATIENCE_MS = 600_000;

    private MutantSearch() {}

    /** An empty folder, the first and the last seed, a part of the mutants' names, and events unless those of the seeds are meant. */
    public static void main(String[] args) throws Exception {
        String events = args.length > 4 ? args[4] : "";
        for (Mutant mutant : Mutants.ALL) {
            if (mutant.name().contains(args[3])) {
                Path folder = Files.createTempDirectory(Path.of(args[0]), "mutant");
                MutantProcess process = new MutantProcess(mutant, folder);
                int exit = process.run(Long.parseLong(args[1]), Long.parseLong(args[2]), events, PATIENCE_MS);
                String said = process.said();
                System.out.println(mutant + ": exit " + exit + " "
                        + said.lines()
                                .filter(line -> line.contains(" found: "))
                                .findFirst()
                                .orElse(""));
            }
        }
    }
}
