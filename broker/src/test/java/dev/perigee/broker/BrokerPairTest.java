package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Loop;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.kv.MemoryViewStores;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two whole brokers on one thread, by their settings a master and a slave. */
class BrokerPairTest {
    private static final int HA_PORT = 10_912;
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int MAX_STEPS = 200_000;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final CrashingDisk masterDisk = new CrashingDisk(new Random(1));
    private final CrashingDisk slaveDisk = new CrashingDisk(new Random(2));
    private @Nullable SteppedBroker runningMaster;
    private @Nullable Broker runningSlave;

    private SteppedBroker master() {
        return Objects.requireNonNull(runningMaster);
    }

    private Broker slave() {
        return Objects.requireNonNull(runningSlave);
    }

    private void startMaster(String role) throws Exception {
        runningMaster = new SteppedBroker(
                masterDisk,
                new MemoryViewStores(),
                clock,
                3,
                Map.of("brokerRole", role, "haListenPort", Integer.toString(HA_PORT)));
    }

    private void startSlave() throws Exception {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "brokerRole", "SLAVE",
                "brokerId", "1",
                "brokerIP1", "127.0.0.1",
                "listenPort", "20911",
                "haMasterAddress", "127.0.0.1:" + HA_PORT,
                "mappedFileSizeCommitLog", Integer.toString(SEGMENT_BYTES)));
        runningSlave = new Broker(
                BrokerConfig.read(properties),
                clock,
                new BrokerSeams(
                        master().network, slaveDisk, new MemoryViewStores(), new SplittableRandom(4), 4, false));
        slave().start();
    }

    private void step() {
        master().step();
        if (runningSlave != null) {
            for (Loop loop : runningSlave.loops()) {
                loop.doWork(clock.monotonicMs());
            }
        }
        clock.nowMs += 1;
    }

    private void until(BooleanSupplier reached) {
        for (int i = 0; i < MAX_STEPS && !reached.getAsBoolean(); i++) {
            step();
        }
        assertThat(reached.getAsBoolean()).isTrue();
    }

    private Answer<SendMessageResponse> send(String body) throws Exception {
        CompletableFuture<Answer<SendMessageResponse>> sent = master().send(body);
        until(sent::isDone);
        return sent.get();
    }

    private static byte[] log(Disk disk, long end) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String name : disk.list("commitlog")) {
            ByteBuffer bytes = ByteBuffer.allocate(SEGMENT_BYTES);
            try (DiskFile file = disk.openRead("commitlog/" + name)) {
                file.read(bytes, 0);
            }
            all.write(bytes.array(), 0, (int) Math.max(0, Math.min(SEGMENT_BYTES, end - all.size())));
        }
        return all.toByteArray();
    }

    private void assertSame() throws IOException {
        until(() -> slave().logEndOffset() == master().broker.logEndOffset());
        long end = slave().logEndOffset();
        assertThat(log(slaveDisk, end)).isEqualTo(log(masterDisk, end));
    }

    @Test
    void aSlaveBrokerHasTheLogOfItsMasterAndGoesOnAfterRestartsOfBoth() throws Exception {
        startMaster("ASYNC_MASTER");
        assertThat(master().run(master().createTopic("T", 1)).code()).isZero();
        for (int i = 0; i < 20; i++) {
            assertThat(send("m" + i).code()).isZero();
        }
        startSlave();
        for (int i = 20; i < 40; i++) {
            assertThat(send("m" + i).code()).isZero();
        }
        assertSame();
        slave().close();
        runningSlave = null;
        for (int i = 40; i < 60; i++) {
            assertThat(send("m" + i).code()).isZero();
        }
        startSlave();
        assertSame();
        assertThat(master().messages("T", 0)).hasSize(32);
    }

    @Test
    void aSynchronousMasterTellsProducersWhetherASlaveHasTheMessage() throws Exception {
        startMaster("SYNC_MASTER");
        assertThat(master().run(master().createTopic("T", 1)).code()).isZero();
        Answer<SendMessageResponse> alone = send("nobody else has this");
        assertThat(alone.code()).isEqualTo(ResponseCode.SLAVE_NOT_AVAILABLE);
        assertThat(alone.remarkText()).contains("inSyncReplicas");
        assertThat(alone.require().queueOffset()).isZero();
        startSlave();
        Answer<SendMessageResponse> last = send("m");
        for (int i = 0; i < 1_000 && last.code() != ResponseCode.SUCCESS; i++) {
            last = send("m" + i);
        }
        assertThat(last.code()).isZero();
        slave().close();
        runningSlave = null;
        assertThat(send("the slave said that it stops").code()).isEqualTo(ResponseCode.SLAVE_NOT_AVAILABLE);
    }

    /** R10, R26: clients are served again when the slave was heard and what the log holds is confirmed, and see all of it. */
    @Test
    void aSynchronousMasterThatStartsServesOnceItsSlaveIsThere() throws Exception {
        startMaster("SYNC_MASTER");
        assertThat(master().run(master().createTopic("T", 1)).code()).isZero();
        startSlave();
        Answer<SendMessageResponse> last = send("m");
        for (int i = 0; i < 1_000 && last.code() != ResponseCode.SUCCESS; i++) {
            last = send("m" + i);
        }
        assertThat(last.code()).isZero();
        long next = last.require().queueOffset() + 1;
        slave().close();
        runningSlave = null;
        master().broker.close();
        startMaster("SYNC_MASTER");
        for (int i = 0; i < 30_000; i++) {
            step();
        }
        assertThat(master().client.connect("127.0.0.1:" + master().broker.port()))
                .as("the port of clients is closed")
                .failsWithin(Duration.ZERO);
        startSlave();
        until(() -> master().client
                .connect("127.0.0.1:" + master().broker.port())
                .handle((connection, failure) -> connection != null)
                .getNow(false));
        assertThat(send("again").require().queueOffset()).isEqualTo(next);
    }
}
