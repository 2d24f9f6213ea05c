package dev.perigee.faults.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of the machine that end within moments. Blocks while one runs. */
final class Command {
    private static final long PATIENCE_SECONDS = 60;

    private Command() {}

    /** Runs it; fails with what it printed when it does not end well. */
    static void run(String... words) throws IOException {
        run(List.of(words));
    }

    /** The same. */
    static void run(List<String> words) throws IOException {
        output(words, "");
    }

    /** The same with something to read on its stdin. */
    static void run(List<String> words, String input) throws IOException {
        output(words, input);
    }

    /** What it prints. */
    static String output(String... words) throws IOException {
        return output(List.of(words), "");
    }

    private static String output(List<String> words, String input) throws IOException {
        Path output = Files.createTempFile("command", ".out");
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
            boolean hasEnded = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String text = Files.readString(output);
            if (!hasEnded || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", words) + (hasEnded ? " failed: " : " did not end: ") + text);
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", words) + " was interrupted", e);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** The same where it does not matter whether it ends well, such as taking back what may not be there. */
    static void attempt(String... words) {
        try {
            run(words);
        } catch (IOException e) {
            System.err.println("faults: " + String.valueOf(e.getMessage()).strip());
        }
    }
}
