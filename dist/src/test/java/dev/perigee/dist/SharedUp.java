package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.session.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the test classes that ask for it one {@code perigee up}, which runs until the last of them has ended. Each class has topics and
 * groups of its own names there.
 */
final class SharedUp implements ParameterResolver {
    /** Delays and questions about transactions come within seconds, and traces are kept. */
    private static final String[] SETTINGS = {
        "--set", "messageDelayLevel=1s 2s 1s 1s",
        "--set", "transactionCheckInterval=1000",
        "--set", "traceTopicEnable=true"
    };

    private record Running(Path folder, RunningUp up) implements AutoCloseable {
        static Running started() {
            try {
                Path folder = Files.createTempDirectory("perigee-up");
                return new Running(folder, new RunningUp(folder.resolve("data"), SETTINGS));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws IOException {
            assertThat(up.stop()).isEqualTo(ExitCode.OK);
            List<Path> all;
            try (Stream<Path> walk = Files.walk(folder)) {
                all = walk.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path each : all) {
                Files.delete(each);
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RunningUp.class;
    }

    @Override
    public RunningUp resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedUp.class))
                .getOrComputeIfAbsent(Running.class, key -> Running.started(), Running.class)
                .up();
    }
}
