package dev.perigee.broker;

import static dev.perigee.broker.SteppedPair.MASTER_PORT;
import static dev.perigee.broker.SteppedPair.SLAVE_PORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A slave whose log is not its master's has other messages at the offsets of consumers: nobody reads them there. */
class RefusedSlaveTest {
    private final SteppedPair pair = new SteppedPair();

    private Answer<PullMessageResponse> pullAtSlave() throws Exception {
        return pair.get(pair.pull(SLAVE_PORT, "g", 0, 0));
    }

    @Test
    void itIsNotReadWhenItsMasterIsAwayLater() throws Exception {
        pair.partLogs();
        pair.startMaster(Map.of());
        pair.sendMany("T", 5);
        pair.heartbeat(MASTER_PORT, "g");
        pair.startSlave(Map.of());
        pair.until(this::isRefusedToReaders);
        pair.stopMaster();
        pair.pass(3_000);

        Answer<PullMessageResponse> pulled = pullAtSlave();
        assertThat(pulled.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(pulled.remarkText()).contains("it and its master do not fit");
        Answer<?> asked = pair.get(pair.call(SLAVE_PORT, Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader("T", 0, true), null));
        assertThat(asked.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(asked.remarkText()).contains("it and its master do not fit");
    }

    @Test
    void itIsNotReadAfterARestartEither() throws Exception {
        pair.partLogs();
        pair.startMaster(Map.of());
        pair.startSlave(Map.of());
        pair.until(this::isRefusedToReaders);
        pair.stopMaster();
        pair.stopSlave();
        pair.startSlave(Map.of());
        assertThat(pullAtSlave().remarkText()).contains("it and its master do not fit");
    }

    @Test
    void itIsReadAgainWhenItFollows() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", 1);
        pair.startSlave(Map.of());
        pair.level();
        pair.stopSlave();
        pair.slaveDisk.replace("refused", ByteBuffer.wrap("once".getBytes(StandardCharsets.UTF_8)));
        pair.startSlave(Map.of());
        assertThat(pullAtSlave().remarkText()).contains("do not fit: once");
        pair.until(() -> !pair.slaveDisk.exists("refused"));
        pair.stopMaster();
        pair.stopSlave();
        pair.startSlave(Map.of());
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pullAtSlave().code()).isZero();
    }

    @Test
    void itIsReadWhileItHasMetNobody() throws Exception {
        pair.partLogs();
        pair.startSlave(Map.of());
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pullAtSlave().code()).isZero();
    }

    @Test
    void anAnswerThatSaysNothingOfItsLogKeepsNobodyFromReading() throws Exception {
        pair.startMaster(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", 1);
        pair.startSlave(Map.of());
        pair.level();
        pair.stopSlave();
        pair.startSlave(Map.of("haMasterAddress", "127.0.0.1:" + MASTER_PORT)); // where no hello is known
        pair.pass(3_000);
        pair.heartbeat(SLAVE_PORT, "g");
        assertThat(pullAtSlave().code()).isZero();
    }

    private boolean isRefusedToReaders() {
        try {
            return pullAtSlave().code() == ResponseCode.SYSTEM_BUSY;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
