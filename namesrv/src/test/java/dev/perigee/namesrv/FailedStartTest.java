package dev.perigee.namesrv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.remoting.FailingTransport;
import dev.perigee.remoting.FreePorts;
import dev.perigee.remoting.memory.MemoryTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails leaves nothing open, and none is tried twice. */
class FailedStartTest {
    @TempDir
    Path folder;

    private final MemoryTransport network = new MemoryTransport(Clock.system());

    private NameServerConfig config(int metricsPort) {
        Properties values = new Properties();
        values.setProperty("metricsExporterType", "PROM");
        values.setProperty("metricsPromExporterPort", Integer.toString(metricsPort));
        return NameServerConfig.read(values)
                .config()
                .listenOn("127.0.0.1", NameServerConfig.DEFAULT_PORT)
                .keepKvIn(folder.resolve("kvConfig.json"));
    }

    @Test
    void everythingIsClosedAgainWhateverItsLastStepFailsOf() throws Exception {
        NameServerConfig config = config(FreePorts.one());
        NameServer failing = new NameServer(
                config, new FailingTransport(network, FailingTransport.Step.REPEATED_TASK), Clock.system());

        assertThatThrownBy(failing::start).isInstanceOf(IllegalStateException.class);

        assertThat(failing.metricsPort()).isEmpty();
        try (NameServer next = new NameServer(config, network, Clock.system())) {
            assertThatCode(next::start).doesNotThrowAnyException();
        }
    }

    @Test
    void aFolderBelongsToOneServerAtATime() throws Exception {
        NameServerConfig first = config(0);
        NameServerConfig second = first.listenOn("127.0.0.1", NameServerConfig.DEFAULT_PORT + 1);
        NameServer holder = new NameServer(first, network, Clock.system());
        holder.start();
        assertThatThrownBy(() -> new NameServer(second, network, Clock.system()).start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another name server uses " + folder)
                .hasMessageContaining("kvConfigPath");
        holder.close();
        try (NameServer next = new NameServer(second, network, Clock.system())) {
            assertThatCode(next::start).doesNotThrowAnyException();
        }
    }

    @Test
    void aFolderThatCannotBeWrittenKeepsNoServerFromStarting() throws Exception {
        Path nowhere = Path.of("/proc/none/kvConfig.json");
        try (NameServer server = new NameServer(config(0).keepKvIn(nowhere), network, Clock.system())) {
            assertThatCode(server::start).doesNotThrowAnyException();
        }
    }

    @Test
    void aServerStartsOnce() throws Exception {
        try (NameServer server = new NameServer(config(0), network, Clock.system())) {
            server.start();
            assertThatThrownBy(server::start).isInstanceOf(IllegalStateException.class);
            assertThat(server.port()).isEqualTo(NameServerConfig.DEFAULT_PORT);
        }
    }
}
