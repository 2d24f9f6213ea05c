package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The tracer {@code strace} on all threads of a running process: writes its system calls down, and makes some of them fail if asked to. */
final class Tracer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/strace");

    private final Process process;
    private final Path output;

    private Tracer(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Skips the test where there is no tracer; where one is promised ({@code CI} or {@code PERIGEE_TRACER} is set) it fails. */
    static void require() {
        boolean isPromised = System.getenv("CI") != null || System.getenv("PERIGEE_TRACER") != null;
        assertThat(Files.isExecutable(PROGRAM) || !isPromised)
                .as("%s must be installed here", PROGRAM)
                .isTrue();
        assumeTrue(Files.isExecutable(PROGRAM), PROGRAM + " is not installed");
    }

    /** Attaches; when this returns, every thread there is now is traced. Blocks. */
    static Tracer attach(long pid, Path output, String... options) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(PROGRAM.toString(), "-f", "-p", Long.toString(pid), "-o", output.toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null && !line.contains("attached")) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the tracer ended with " + process.waitFor());
        }
        return new Tracer(process, output);
    }

    /** Lets the process go, and reads what was written down. Blocks. */
    SystemCalls detach() throws IOException {
        close();
        return SystemCalls.read(output);
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
