package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.remoting.call.Answer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slave that becomes the master does not know what the former one confirmed last: no queue offset is given away twice (R23). */
class PromotedSlaveTest {
    private static final Map<String, String> MASTER = Map.of("brokerRole", "ASYNC_MASTER");
    private static final int REACHED_THE_SLAVE = 20;
    private static final int MISSED = 5;

    private final SteppedPair pair = new SteppedPair();

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(MASTER);
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.sendMany("T", REACHED_THE_SLAVE);
        pair.level();
    }

    private long queueOffset(Answer<SendMessageResponse> sent) {
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        return sent.require().queueOffset();
    }

    private long sendNext() throws Exception {
        return queueOffset(pair.send(SteppedPair.MASTER_PORT, "T", "next", ""));
    }

    @Test
    void itsMessagesHaveOffsetsBeyondThoseThatItNeverHeardOf() throws Exception {
        for (int i = 0; i < MISSED; i++) {
            CompletableFuture<Answer<SendMessageResponse>> sent = pair.sending("T", "missed");
            pair.passWithoutSlave(20);
            assertThat(sent).isDone();
            assertThat(queueOffset(sent.get())).isEqualTo(REACHED_THE_SLAVE + i);
        }
        pair.stopBoth();
        pair.startSlaveAsMaster(MASTER);
        long first = sendNext();
        assertThat(first).isGreaterThanOrEqualTo(REACHED_THE_SLAVE + MISSED);

        pair.stopMaster();
        pair.startSlaveAsMaster(MASTER);
        assertThat(sendNext()).as("what it wrote itself is known to it").isEqualTo(first + 1);
    }

    @Test
    void restartsOfTheMasterAndOfTheSlaveLeaveNoGap() throws Exception {
        pair.stopSlave();
        pair.startSlave(Map.of());
        pair.level();
        pair.stopMaster();
        pair.startMaster(MASTER);
        assertThat(sendNext()).isEqualTo(REACHED_THE_SLAVE);
    }
}
