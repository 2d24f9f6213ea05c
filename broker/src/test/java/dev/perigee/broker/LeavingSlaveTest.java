package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slave that stops in order says so: no send waits for it, and when it is back it counts again. */
class LeavingSlaveTest {
    /** Shorter than a send waits for a slave that it does not hear. */
    private static final long SOON_MS = 1_000;

    private final SteppedPair pair = new SteppedPair();

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(Map.of("brokerRole", "SYNC_MASTER"));
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.until(() -> pair.inSync() == 1);
        pair.sendMany("T", 10);
    }

    private int sendSoon() throws Exception {
        long beganMs = pair.clock.nowMs;
        int code = pair.send(SteppedPair.MASTER_PORT, "T", "m", "").code();
        assertThat(pair.clock.nowMs - beganMs).as("until code %d", code).isLessThan(SOON_MS);
        return code;
    }

    @Test
    void sendsAreAnsweredAtOnceThatThereIsNoSlave() throws Exception {
        pair.stopSlave();
        for (int i = 0; i < 20; i++) {
            assertThat(sendSoon()).isEqualTo(ResponseCode.SLAVE_NOT_AVAILABLE);
        }
        pair.startSlave(Map.of());
        pair.until(() -> pair.inSync() == 1);
        assertThat(sendSoon()).isZero();
        pair.level();
    }

    @Test
    void sendsGoOnWithTheOtherSlave() throws Exception {
        Broker other = pair.startSecondSlave(new CrashingDisk(new Random(3)), Map.of("brokerId", "2"));
        pair.until(() -> pair.inSync() == 2);
        pair.stopSlave();
        for (int i = 0; i < 20; i++) {
            assertThat(sendSoon()).isZero();
        }
        assertThat(pair.inSync()).isEqualTo(1);
        other.close();
    }

    /** It said nothing: it may be back in a moment, and is waited for. */
    @Test
    void aSlaveThatIsKilledIsWaitedFor() throws Exception {
        pair.killSlave();
        assertThat(pair.send(SteppedPair.MASTER_PORT, "T", "m", "").code()).isEqualTo(ResponseCode.FLUSH_SLAVE_TIMEOUT);
    }
}
