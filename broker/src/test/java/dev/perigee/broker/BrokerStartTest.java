package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.SendSettings;
import dev.perigee.broker.timer.TimerView;
import dev.perigee.loop.Clock;
import dev.perigee.remoting.FreePorts;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @Test
    void aTakenPortOfTheMetricsStopsTheStartAndFreesPortsAndFolder() throws Exception {
        int port = FreePorts.forBroker();
        Properties settings = settings(port);
        settings.setProperty("metricsExporterType", "PROM");
        try (ServerSocket taken = new ServerSocket(0)) {
            settings.setProperty("metricsPromExporterPort", Integer.toString(taken.getLocalPort()));
            Broker broker = new Broker(BrokerConfig.read(settings), Clock.system());
            assertThatThrownBy(broker::start)
                    .isInstanceOf(RemotingException.BindFailed.class)
                    .hasMessageContaining(Integer.toString(taken.getLocalPort()))
                    .hasMessageContaining("metricsPromExporterPort");
            assertThat(folder).isEmptyDirectory();
            assertThat(FreePorts.isFree(port)).isTrue();
        }
        try (Broker again = new Broker(BrokerConfig.read(settings(port)), Clock.system())) {
            again.start();
            assertThat(again.port()).isEqualTo(port);
        }
    }

    @Test
    void aTakenSecondPortStopsTheStartAndFreesTheFirst() throws Exception {
        int port = FreePorts.forBroker();
        try (ServerSocket taken = new ServerSocket(port - 2, 1, InetAddress.getLoopbackAddress())) {
            Broker broker = new Broker(BrokerConfig.read(settings(port)), Clock.system());
            assertThatThrownBy(broker::start).hasMessageContaining(Integer.toString(taken.getLocalPort()));
            assertThat(FreePorts.isFree(port)).isTrue();
        }
    }

    @Test
    void aTopicOfItsOwnThatCannotBeStoredStopsTheStartByName() {
        BrokerConfig read = BrokerConfig.read(settings(10911));
        SendSettings sending = new SendSettings(
                read.sending().maxBodyBytes(),
                read.sending().region(),
                read.sending().maxSendWaitMs(),
                read.sending().maxOtherWaitMs(),
                "T".repeat(2 << 20), // larger than a log segment; no setting gives such a name
                read.sending().delayLevels(),
                read.sending().maxDelaySec(),
                read.sending().recall(),
                read.sending().storeReplies());
        MemoryTransport network = new MemoryTransport(Clock.system());
        Broker broker = new Broker(
                new BrokerConfig(
                        read.identity(),
                        read.network(),
                        read.replication(),
                        read.group(),
                        read.storage(),
                        sending,
                        read.transactions(),
                        read.reading(),
                        read.registration(),
                        read.metrics(),
                        read.live(),
                        read.texts(),
                        read.ignored()),
                Clock.system(),
                new BrokerSeams(
                        network,
                        new CrashingDisk(new Random(1)),
                        new MemoryViewStores(),
                        new SplittableRandom(1),
                        1,
                        false));
        assertThatThrownBy(broker::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("system topics could not be stored")
                .hasMessageContaining("segment");
    }

    /** A disk on which nothing can be forced any more once the first topic of the broker's own was written. */
    private static final class FailingDisk extends ForwardingDisk {
        private volatile boolean failing;

        FailingDisk() {
            super(new CrashingDisk(new Random(1)));
        }

        @Override
        public DiskFile open(String name) throws IOException {
            return new ForwardingFile(super.open(name)) {
                @Override
                public void write(ByteBuffer source, long position) throws IOException {
                    String text = StandardCharsets.ISO_8859_1
                            .decode(source.duplicate())
                            .toString();
                    if (text.contains("SELF_TEST_TOPIC")) {
                        failing = true; // set only, for the mark and the log are written by different threads
                    }
                    super.write(source, position);
                }

                @Override
                public void force() throws IOException {
                    if (failing) {
                        throw new IOException("injected: " + name + " cannot be forced");
                    }
                    super.force();
                }
            };
        }
    }

    /** Stores that cannot be opened on this machine; nobody tries. */
    private record NoStores() implements ViewStores {
        @Override
        public void check() throws IOException {
            throw new IOException("injected: no library for os.arch=mips");
        }

        @Override
        public ViewStore open(String view) {
            throw new AssertionError("opened although they cannot be");
        }

        @Override
        public boolean exists(String view) {
            return false;
        }

        @Override
        public void remove(String view) {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMachineOnWhichViewsCannotKeepTheirStoresStopsTheStartInsteadOfTheFirstRetry(boolean threads)
            throws Exception {
        CrashingDisk disk = new CrashingDisk(new Random(1));
        MemoryTransport network = new MemoryTransport(Clock.system());
        Broker broker = new Broker(
                BrokerConfig.read(settings(10911)),
                Clock.system(),
                new BrokerSeams(network, disk, new NoStores(), new SplittableRandom(1), 1, threads));
        assertThatThrownBy(broker::start)
                .isInstanceOf(IOException.class)
                .hasMessage("injected: no library for os.arch=mips");
        Broker again = new Broker(
                BrokerConfig.read(settings(10911)),
                Clock.system(),
                new BrokerSeams(network, disk, new MemoryViewStores(), new SplittableRandom(1), 1, threads));
        again.start(); // folder and port were let go
        again.close();
    }

    @Test
    void theStoreOfWaitingMessagesIsOpenBeforeTheFirstOfThemComes() throws Exception {
        MemoryViewStores stores = new MemoryViewStores();
        try (Broker broker = new Broker(
                BrokerConfig.read(settings(10911)),
                Clock.system(),
                new BrokerSeams(
                        new MemoryTransport(Clock.system()),
                        new CrashingDisk(new Random(1)),
                        stores,
                        new SplittableRandom(1),
                        1,
                        false))) {
            broker.start();
            assertThat(stores.exists(TimerView.NAME)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(55) // less than the minute that waiting for topics that nobody stores any more would take
    void aLogThatFailsDuringTheStartIsNamedAsTheCauseAtOnce(boolean threads) {
        Broker broker = new Broker(
                BrokerConfig.read(settings(10911)),
                Clock.system(),
                new BrokerSeams(
                        new MemoryTransport(Clock.system()),
                        new FailingDisk(),
                        new MemoryViewStores(),
                        new SplittableRandom(1),
                        1,
                        threads));
        assertThatThrownBy(broker::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the log failed while system topics were being stored")
                .rootCause() // the thread that prepares segments may be the first to meet it
                .isInstanceOf(IOException.class)
                .hasMessageContaining("injected: commitlog/");
    }
}
