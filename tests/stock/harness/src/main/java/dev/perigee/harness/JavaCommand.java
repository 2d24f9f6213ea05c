package dev.perigee.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How to start a JVM: what runs, on which class path, with which options. The process lives in {@code directory}: its home, its temporary
 * files and its output files {@code <name>.out} and {@code <name>.err}.
 */
public final class JavaCommand {
    private final String name;
    private final String mainClass;
    private final String classPath;
    private final Path directory;
    private final List<String> runners = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private boolean speaksOnStdout;
    private boolean sharesClasses;

    /** A command that runs {@code mainClass}, called {@code name} in file names and failures. */
    public JavaCommand(String name, String mainClass, String classPath, Path directory) {
        this.name = name;
        this.mainClass = mainClass;
        this.classPath = classPath;
        this.directory = directory;
    }

    /** Adds JVM options. */
    public JavaCommand options(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    /** Adds program arguments. */
    public JavaCommand arguments(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    /**
     * Puts a command in front of the JVM's own that does something and then becomes the JVM, such as {@code nsenter} or {@code env}. One
     * that is put there later runs later.
     */
    public JavaCommand runBy(List<String> command) {
        runners.addAll(command);
        return this;
    }

    /** The program reads stdin and answers on stdout itself, and must end when stdin does; no guard is put around it. */
    JavaCommand speaksOnStdout() {
        speaksOnStdout = true;
        return this;
    }

    /** Many short JVMs run on this class path: they share an archive of its classes. */
    JavaCommand sharesClasses() {
        sharesClasses = true;
        return this;
    }

    /** Starts it. */
    public JavaProcess start() throws IOException {
        Path temporary = Files.createDirectories(directory.resolve("tmp"));
        String path = speaksOnStdout ? classPath : classPath + File.pathSeparator + ClassArchive.jarOf(Guarded.class);
        ClassArchive.Use shared =
                sharesClasses ? ClassArchive.of(path).next() : new ClassArchive.Use(List.of(), () -> {});
        List<String> line = new ArrayList<>(runners);
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-Duser.home=" + directory);
        line.add("-Djava.io.tmpdir=" + temporary);
        line.addAll(options);
        line.addAll(shared.options());
        line.add("-cp");
        line.add(path);
        if (!speaksOnStdout) {
            line.add(Guarded.class.getName());
        }
        line.add(mainClass);
        line.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(line).directory(directory.toFile());
        builder.redirectError(file("err").toFile());
        if (!speaksOnStdout) {
            builder.redirectOutput(file("out").toFile());
        }
        Process process = builder.start();
        CompletableFuture<?> unused = process.onExit().thenRun(shared.ended()); // nobody waits for that
        return new JavaProcess(name, process, file("out"), file("err"));
    }

    private Path file(String ending) {
        return directory.resolve(name + "." + ending);
    }
}
