package dev.perigee.raft.mutant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.raft.mutant.Mutant.Killer;
import dev.perigee.raft.script.ScriptsMain;
import dev.perigee.raft.sim.GroupMain;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Without one rule a simulated group within a thousand seeds, or a scenario, shows that it is missing. */
final class MutantsTest {
    private static final List<String> SEEDS = List.of("1", "1000", "3000");
    private static final long PATIENCE_S = 540;

    @TempDir
    private Path folder;

    static List<Mutant> mutants() {
        return Mutants.all();
    }

    @Test
    void everyMutantFollowsItsSource() throws IOException {
        for (Mutant mutant : Mutants.all()) {
            assertThat(mutant.patched()).as(mutant.name()).isNotEmpty();
        }
    }

    @Tag("full")
    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void everyMutantIsFound(Mutant mutant) throws Exception {
        compile(mutant);

        int exit = run(mutant.killer());

        assertThat(exit)
                .as("exit of the run without %s\n%s", mutant, Files.readString(folder.resolve("said")))
                .isEqualTo(GroupMain.FOUND);
    }

    private void compile(Mutant mutant) throws IOException {
        StringWriter said = new StringWriter();
        JavaFileObject source =
                new SimpleJavaFileObject(
                        URI.create("string:///dev/perigee/raft/" + mutant.file()), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) throws IOException {
                        return mutant.patched();
                    }
                };
        List<String> options = List.of(
                "-d",
                folder.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-implicit:none",
                "-nowarn");
        boolean compiles = ToolProvider.getSystemJavaCompiler()
                .getTask(said, null, null, options, null, List.of(source))
                .call();
        assertThat(compiles).as("%s\n%s", mutant, said).isTrue();
    }

    private int run(Killer killer) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                folder + File.pathSeparator + System.getProperty("java.class.path")));
        if (killer == Killer.SIMULATION) {
            command.add(GroupMain.class.getName());
            command.addAll(SEEDS);
        } else {
            command.add(ScriptsMain.class.getName());
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
        try {
            return process.waitFor(PATIENCE_S, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } finally {
            process.destroyForcibly();
        }
    }
}
