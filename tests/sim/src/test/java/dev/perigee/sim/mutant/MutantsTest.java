package dev.perigee.sim.mutant;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Without one force, checksum, claim or bounds test a listed seed fails; with all of them it does not. */
final class MutantsTest {
    private static final long PATIENCE_MS = 300_000;

    @TempDir
    private Path folder;

    /** Those whose names {@code -Dsim.mutant} is found in, as an expression; all without it. */
    static List<Mutant> mutants() {
        Pattern asked = Pattern.compile(System.getProperty("sim.mutant", ""));
        return Mutants.all().stream()
                .filter(mutant -> asked.matcher(mutant.name()).find())
                .toList();
    }

    static Stream<Mutant.Killer> killers() {
        return mutants().stream().map(Mutant::killer).distinct();
    }

    @Test
    void everyMutantFollowsItsSource() throws Exception {
        for (Mutant mutant : Mutants.all()) {
            assertThat(mutant.patched()).as(mutant.name()).isNotEmpty();
        }
    }

    @Tag("full")
    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void everyMutantIsFound(Mutant mutant) throws Exception {
        MutantProcess process = new MutantProcess(mutant, folder);
        Mutant.Killer killer = mutant.killer();

        int exit = process.run(killer, killer.seed(), PATIENCE_MS);

        assertThat(exit)
                .as("exit of the run with '%s'\n%s", mutant, process.said())
                .isEqualTo(MutantMain.FOUND);
    }

    @Tag("full")
    @ParameterizedTest(name = "{0}")
    @MethodSource("killers")
    void theSameRunHoldsWithoutTheMutant(Mutant.Killer killer) throws Exception {
        assertThat(MutantMain.found(folder, killer)).isEmpty();
    }
}
