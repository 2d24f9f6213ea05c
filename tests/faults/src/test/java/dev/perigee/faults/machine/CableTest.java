package dev.perigee.faults.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.perigee.faults.machine.Cable.Direction;
import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every fault of a cable is felt by a program at its end, and is over when it is taken back, in both kinds of network. */
@Tag("full")
final class CableTest {
    private static final int SILENCE_MS = 1_500;
    private static final int PATIENCE_MS = EchoClient.PATIENCE_MS;

    private enum Kind {
        NAMESPACES,
        LOOPBACK
    }

    @TempDir
    private Path folder;

    private final int port = FreePorts.one();
    private @Nullable Network network;
    private @Nullable JavaProcess process;

    private Cable lay(Kind kind) throws IOException {
        if (kind == Kind.NAMESPACES) {
            assumeTrue(Namespaces.whyNot().isEmpty(), "namespaces are not allowed here");
        }
        network = kind == Kind.NAMESPACES ? Namespaces.open(RigName.next()) : new Loopback("a test");
        Cable cable = network().attach(port);
        JavaProcess echo = new JavaCommand(
                        "echo", EchoMain.class.getName(), System.getProperty("java.class.path"), folder)
                .runBy(cable.runner())
                .arguments(cable.listenAddress(), Integer.toString(port))
                .start();
        process = echo;
        await().atMost(ONE_MINUTE).until(() -> echo.stdout().contains("listening"));
        return cable;
    }

    @AfterEach
    void takeAway() {
        if (process != null) {
            process.kill();
        }
        if (network != null) {
            network.close();
        }
    }

    private Network network() {
        return Objects.requireNonNull(network, "not laid");
    }

    private EchoClient call(Cable cable) throws IOException {
        return new EchoClient(cable.address(), port);
    }

    @ParameterizedTest
    @EnumSource
    void anUnpluggedCableIsSilentUntilItIsPluggedInAgain(Kind kind) throws Exception {
        Cable cable = lay(kind);
        try (EchoClient client = call(cable)) {
            client.say("before");
            assertThat(client.hear(PATIENCE_MS)).contains("before");
            cable.unplug();
            client.say("during");
            assertThat(client.hear(SILENCE_MS)).isEmpty();
            cable.plug();
            assertThat(client.hear(PATIENCE_MS)).contains("during");
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsLostOneWayIsNotAnswered(Kind kind) throws Exception {
        Cable cable = lay(kind);
        for (Direction direction : Direction.values()) {
            try (EchoClient client = call(cable)) {
                cable.lose(direction, 100);
                client.say(direction.name());
                assertThat(client.hear(SILENCE_MS)).isEmpty();
                cable.loseNothing();
                assertThat(client.hear(PATIENCE_MS)).contains(direction.name());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSlowLinkLetsNoMoreThrough(Kind kind) throws Exception {
        Cable cable = lay(kind);
        String line = "x".repeat(1_000);
        try (EchoClient client = call(cable)) {
            cable.limit(50_000);
            long beganNs = System.nanoTime();
            for (int i = 0; i < 200; i++) {
                client.say(line);
                assertThat(client.hear(PATIENCE_MS)).contains(line);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isGreaterThan(Duration.ofSeconds(2));
            cable.unlimit();
            client.say("fast");
            assertThat(client.hear(PATIENCE_MS)).contains("fast");
        }
    }

    @Test
    void aNodeThatHearsNothingFromAnotherHearsTheRest() throws Exception {
        Cable cable = lay(Kind.NAMESPACES);
        Cable other = network().attach(port);
        cable.hearNothingFrom(List.of(other));
        assertThat(sayFrom(other, cable, "during", SILENCE_MS)).isEqualTo(EchoClient.SILENCE);
        try (EchoClient client = call(cable)) {
            client.say("from the host");
            assertThat(client.hear(PATIENCE_MS)).contains("from the host");
        }
        cable.hearNothingFrom(List.of());
        assertThat(sayFrom(other, cable, "after", PATIENCE_MS)).isEqualTo("after");
    }

    @Test
    void aNodeThatEndsTheConnectionsOfAnotherHearsTheRest() throws Exception {
        Cable cable = lay(Kind.NAMESPACES);
        Cable other = network().attach(port);
        cable.resetConnectionsOf(List.of(other));
        assertThat(sayFrom(other, cable, "during", PATIENCE_MS)).isEqualTo(EchoClient.REFUSED);
        try (EchoClient client = call(cable)) {
            client.say("from the host");
            assertThat(client.hear(PATIENCE_MS)).contains("from the host");
        }
        cable.resetConnectionsOf(List.of());
        assertThat(sayFrom(other, cable, "after", PATIENCE_MS)).isEqualTo("after");
    }

    private String sayFrom(Cable from, Cable to, String line, int patienceMs) throws IOException {
        JavaProcess client = new JavaCommand(
                        line, EchoClient.class.getName(), System.getProperty("java.class.path"), folder)
                .runBy(from.runner())
                .arguments(to.address(), Integer.toString(port), line, Integer.toString(patienceMs))
                .start();
        assertThat(client.awaitExit(Duration.ofMinutes(3))).as(client::stderr).isZero();
        return client.stdout().strip();
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotThereCanBeTakenBack(Kind kind) throws Exception {
        Cable cable = lay(kind);
        cable.plug();
        cable.loseNothing();
        cable.unlimit();
        try (EchoClient client = call(cable)) {
            client.say("well");
            assertThat(client.hear(PATIENCE_MS)).contains("well");
        }
    }
}
