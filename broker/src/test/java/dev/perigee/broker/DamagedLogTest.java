package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.LogNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** R28: a reader is given nothing of a frame that rotted, and gets it once it has come again from the other broker. */
class DamagedLogTest {
    private static final Map<String, String> READ_BESIDE_MASTER = Map.of("slaveReadEnable", "true");

    private final SteppedPair pair = new SteppedPair();

    /** Ten messages; the place of the fifth. */
    private long send() throws Exception {
        pair.createTopic("T");
        pair.sendMany("T", 4);
        Answer<SendMessageResponse> fifth = pair.send(SteppedPair.MASTER_PORT, "T", "fifth", "");
        pair.sendMany("T", 5);
        pair.heartbeat(SteppedPair.MASTER_PORT, "g");
        return MessageId.parse(TestBroker.messageId(fifth)).physicalOffset();
    }

    /** One bit of a log's first file is another one. */
    static void damage(CrashingDisk disk, long offset) throws IOException {
        try (DiskFile file = disk.open(LogNames.fileName(0))) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, offset);
            one.put(0, (byte) (one.get(0) ^ 1)).clear();
            file.write(one, offset);
            file.force();
        }
    }

    private Answer<PullMessageResponse> pull(int port) throws Exception {
        return pair.get(pair.pull(port, "g", 0, 0));
    }

    private void assertServedOnceMended(int port) throws Exception {
        Answer<PullMessageResponse> refused = pull(port);
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        assertThat(refused.remarkText()).contains("damaged at offset");
        assertThat(refused.body()).isEmpty();
        pair.pass(500);
        Answer<PullMessageResponse> found = pull(port);
        assertThat(found.code()).as(found.remarkText()).isZero();
        assertThat(TestBroker.bodies(found)).hasSize(10).contains("fifth");
    }

    @Test
    void aMasterGetsItFromItsSlave() throws Exception {
        pair.startMaster(Map.of("brokerRole", "ASYNC_MASTER"));
        long place = send();
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();
        pair.startMaster(Map.of("brokerRole", "ASYNC_MASTER"));
        pair.pass(3_000);
        pair.level();
        damage(pair.masterDisk, place + 90);
        assertServedOnceMended(SteppedPair.MASTER_PORT);
    }

    @Test
    void aSlaveGetsItFromItsMaster() throws Exception {
        pair.startMaster(Map.of("brokerRole", "ASYNC_MASTER"));
        long place = send();
        pair.startSlave(READ_BESIDE_MASTER);
        pair.level();
        pair.stopSlave();
        pair.startSlave(READ_BESIDE_MASTER);
        pair.pass(3_000);
        pair.level();
        pair.heartbeat(SteppedPair.SLAVE_PORT, "g");
        damage(pair.slaveDisk, place + 90);
        assertServedOnceMended(SteppedPair.SLAVE_PORT);
    }

    @Test
    void aBrokerAloneServesNothingOfIt() throws Exception {
        pair.startMaster(Map.of("brokerRole", "ASYNC_MASTER"));
        long place = send();
        pair.stopMaster();
        pair.startMaster(Map.of("brokerRole", "ASYNC_MASTER"));
        damage(pair.masterDisk, place + 90);
        for (int i = 0; i < 2; i++) {
            Answer<PullMessageResponse> refused = pull(SteppedPair.MASTER_PORT);
            assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(refused.remarkText()).contains("damaged at offset " + place);
            pair.pass(500);
        }
    }
}
