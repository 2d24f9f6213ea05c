package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message that is sent back to a synchronous master is answered for when a slave has the copy: its consumer may go on there. */
class SentBackToPairTest {
    private static final int SLAVE_TIMEOUT_MS = 3_000;

    private final SteppedPair pair = new SteppedPair();
    private long offset;

    @BeforeEach
    void start() throws Exception {
        pair.startMaster(Map.of("brokerRole", "SYNC_MASTER"));
        pair.startSlave(Map.of());
        pair.createTopic("T");
        pair.heartbeat(SteppedPair.MASTER_PORT, "g");
        pair.until(() ->
                !pair.master().log().replicaSet(pair.master().log().endOffset()).isEmpty());
        pair.pass(1_000);
        Answer<?> sent = pair.send(SteppedPair.MASTER_PORT, "T", "m", "");
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        offset = MessageId.parse(TestBroker.messageId(pair.send(SteppedPair.MASTER_PORT, "T", "m", "")))
                .physicalOffset();
        pair.level();
    }

    private CompletableFuture<Answer<NoHeader>> sendBack() {
        SendBackHeader header = new SendBackHeader(offset, "g", 1, null, "T", false, null, null);
        return pair.call(SteppedPair.MASTER_PORT, Rpcs.CONSUMER_SEND_MSG_BACK, header, null);
    }

    @Test
    void theAnswerWaitsForTheSlave() throws Exception {
        long before = pair.slave().log().endOffset();
        CompletableFuture<Answer<NoHeader>> back = sendBack();
        pair.passWithoutSlave(500);
        assertThat(pair.master().log().endOffset()).as("the copy is stored").isGreaterThan(before);
        assertThat(back).isNotDone();
        assertThat(pair.get(back).code()).isZero();
        assertThat(pair.slave().log().endOffset()).isGreaterThan(before);
    }

    @Test
    void aSlaveThatStandsStillIsNotWaitedForLongerThanBySends() throws Exception {
        CompletableFuture<Answer<NoHeader>> back = sendBack();
        pair.passWithoutSlave(SLAVE_TIMEOUT_MS + 500);
        assertThat(back).isDone();
        assertThat(back.get().code()).isZero();
    }
}
