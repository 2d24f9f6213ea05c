package dev.perigee.sim.mutant;

import java.nio.file.Files;
import java.nio.file.Path;

/** Looks for seeds that find mutants, for whoever adds one to the list. */
final class MutantSearch {
    private static final long PATIENCE_MS = 600_000;

    private MutantSearch() {}

    /**
     * An empty folder, the stage, the first and the last seed, a part of the mutants' names, and events unless those of the seeds are
     * meant; {@code =} for those that are listed.
     */
    public static void main(String[] args) throws Exception {
        String asked = args.length > 5 ? args[5] : "";
        for (Mutant mutant : Mutants.all()) {
            if (mutant.name().contains(args[4])) {
                String events = asked.equals("=") ? mutant.killer().events() : asked;
                Path folder = Files.createTempDirectory(Path.of(args[0]), "mutant");
                MutantProcess process = new MutantProcess(mutant, folder);
                Mutant.Killer first = new Mutant.Killer(Mutant.Stage.valueOf(args[1]), Long.parseLong(args[2]), events);
                int exit = process.run(first, Long.parseLong(args[3]), PATIENCE_MS);
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
