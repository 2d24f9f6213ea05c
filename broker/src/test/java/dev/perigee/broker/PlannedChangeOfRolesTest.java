package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.FreePorts;
import dev.perigee.replica.KeptRefusal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A master that waits for nobody is stopped in order while messages are sent, and takes the other role. */
class PlannedChangeOfRolesTest {
    private static final int MESSAGES_BEFORE = 10;

    @TempDir
    private Path first;

    @TempDir
    private Path second;

    private final AtomicInteger acknowledgedCount = new AtomicInteger();

    private static TestBroker start(Path folder, String role, int haPort, Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("brokerRole", role);
        settings.put("shutdownWaitTimeSeconds", "60");
        if (role.equals("SLAVE")) {
            settings.put("brokerId", "1");
            settings.put("haMasterAddress", "127.0.0.1:" + haPort);
        } else {
            settings.put("haListenPort", Integer.toString(haPort));
        }
        return new TestBroker(folder, settings);
    }

    private static HaStatus status(TestBroker of) throws Exception {
        return Json.read(of.call(Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null).body(), HaStatus.class);
    }

    private static boolean hasSlave(TestBroker master) throws Exception {
        return status(master).inSyncSlaveNums() == 1;
    }

    /** Sends until that is not possible any more: what was acknowledged. */
    private List<String> sendOn(TestBroker to) {
        List<String> acknowledged = new ArrayList<>();
        for (int i = 0; ; i++) {
            try {
                if (to.send("T", 0, "m" + i).code() != 0) {
                    return acknowledged;
                }
            } catch (Exception e) {
                return acknowledged; // it is gone: nothing is known of the last one
            }
            acknowledged.add("m" + i);
            acknowledgedCount.incrementAndGet();
        }
    }

    private static List<String> bodies(TestBroker broker, int count) throws Exception {
        List<String> all = new ArrayList<>();
        while (all.size() < count) {
            List<String> some = TestBroker.bodies(broker.pull("g", "T", 0, all.size()));
            assertThat(some).isNotEmpty();
            all.addAll(some);
        }
        return all;
    }

    @Test
    void losesNothingOfWhatItAcknowledgedAndFollowsTheOther() throws Exception {
        int haPort = FreePorts.one();
        List<String> acknowledged;
        TestBroker slave;
        try (TestBroker master = start(first, "ASYNC_MASTER", haPort, Map.of("haAcceptLoss", "true"))) {
            slave = start(second, "SLAVE", haPort, Map.of());
            await().atMost(ONE_MINUTE).until(() -> hasSlave(master));
            CompletableFuture<List<String>> sender = CompletableFuture.supplyAsync(() -> sendOn(master));
            await().atMost(ONE_MINUTE).until(() -> acknowledgedCount.get() >= MESSAGES_BEFORE || sender.isDone());
            master.broker.close();
            acknowledged = sender.get();
        }
        slave.close();
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(MESSAGES_BEFORE);
        try (TestBroker promoted = start(second, "ASYNC_MASTER", haPort, Map.of());
                TestBroker former = start(first, "SLAVE", haPort, Map.of())) {
            await().atMost(ONE_MINUTE).until(() -> hasSlave(promoted));
            assertThat(Files.exists(first.resolve(KeptRefusal.FILE)))
                    .as("it is not refused")
                    .isFalse();
            promoted.createGroup("g");
            assertThat(bodies(promoted, acknowledged.size())).startsWith(acknowledged.toArray(String[]::new));
            await().atMost(ONE_MINUTE)
                    .until(() -> former.broker.logEndOffset() == promoted.broker.logEndOffset()
                            && former.broker.log().confirmOffset() == former.broker.logEndOffset());
        }
    }
}
