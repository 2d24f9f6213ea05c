package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker starts wholly or not at all: what it had opened is closed again, and the reason is named. */
class BrokerStartTest {
    @TempDir
    Path folder;

    private Properties settings(int port) {
        Properties settings = new Properties();
        settings.setProperty("storePathRootDir", folder.toString());
        settings.setProperty("brokerIP1", "127.0.0.1");
        settings.setProperty("bindAddress", "127.0.0.1");
        settings.setProperty("listenPort", Integer.toString(port));
        settings.setProperty("mappedFileSizeCommitLog", Integer.toString(1 << 20));
        return settings;
    }

    private static int freePort() throws IOException {
        while (true) {
            try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    ServerSocket fast = new ServerSocket()) {
                fast.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), first.getLocalPort() - 2));
                return first.getLocalPort();
            } catch (java.net.BindException e) {
                // the port two below is taken: try another pair
            }
        }
    }

    @Test
    void aTakenPortOfTheMetricsStopsTheStartAndFreesPortsAndFolder() throws Exception {
        int port = freePort();
        Properties settings = settings(port);
        settings.setProperty("metricsExporterType", "PROM");
        try (ServerSocket taken = new ServerSocket(0)) {
            settings.setProperty("metricsPromExporterPort", Integer.toString(taken.getLocalPort()));
            Broker broker = new Broker(BrokerConfig.read(settings), Clock.system());
            assertThatThrownBy(broker::start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(Integer.toString(taken.getLocalPort()))
                    .hasMessageContaining("metricsPromExporterPort");
            try (ServerSocket mine = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(mine.isBound()).isTrue();
            }
        }
        try (Broker again = new Broker(BrokerConfig.read(settings(port)), Clock.system())) {
            again.start();
            assertThat(again.port()).isEqualTo(port);
        }
    }

    @Test
    void aTakenSecondPortStopsTheStartAndFreesTheFirst() throws Exception {
        int port = freePort();
        try (ServerSocket taken = new ServerSocket(port - 2, 1, InetAddress.getLoopbackAddress())) {
            Broker broker = new Broker(BrokerConfig.read(settings(port)), Clock.system());
            assertThatThrownBy(broker::start).hasMessageContaining(Integer.toString(taken.getLocalPort()));
            try (ServerSocket mine = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThat(mine.isBound()).isTrue();
            }
        }
    }

    @Test
    void aTopicOfItsOwnThatCannotBeStoredStopsTheStartByName() {
        Properties settings = settings(10911);
        settings.setProperty("msgTraceTopicName", "T".repeat(2 << 20)); // larger than a log segment
        settings.setProperty("traceTopicEnable", "true");
        MemoryTransport network = new MemoryTransport(Clock.system());
        Broker broker = new Broker(
                BrokerConfig.read(settings),
                Clock.system(),
                new BrokerSeams(network, new CrashingDisk(new Random(1)), new SplittableRandom(1), 1, false));
        assertThatThrownBy(broker::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("system topics could not be stored")
                .hasMessageContaining("segment");
    }
}
