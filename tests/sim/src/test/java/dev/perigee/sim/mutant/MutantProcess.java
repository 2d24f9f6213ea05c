package dev.perigee.sim.mutant;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM whose class path begins with the classes of a mutant, and that makes runs. */
final class MutantProcess {
    private final Path folder;
    private final List<String> command = new ArrayList<>();

    /** Compiles the mutant. */
    MutantProcess(Mutant mutant, Path folder) throws IOException {
        this.folder = folder;
        Path classes = Files.createDirectories(folder.resolve("classes"));
        MutantClasses.compile(mutant, classes);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X"))
                .forEach(command::add);
        String path = classes + System.getProperty("path.separator") + System.getProperty("java.class.path");
        command.addAll(List.of(
                "-cp", path, MutantMain.class.getName(), folder.resolve("home").toString()));
    }

    /**
     * Runs seeds one after the other, up to the first that finds something.
     *
     * @param first the first of them, with what goes wrong in all
     * @return how it ended, {@link MutantMain#FOUND} when something was found; −1 when it did not end in time and was killed
     */
    int run(Mutant.Killer first, long lastSeed, long patienceMs) throws IOException, InterruptedException {
        command.addAll(
                List.of(first.stage().name(), Long.toString(first.seed()), Long.toString(lastSeed), first.events()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
        try {
            return process.waitFor(patienceMs, TimeUnit.MILLISECONDS) ? process.exitValue() : -1;
        } finally {
            process.destroyForcibly();
        }
    }

    /** What it said so far. */
    String said() throws IOException {
        return Files.readString(folder.resolve("said"));
    }
}
