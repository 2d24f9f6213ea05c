package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A priority chooses the queue of a message that nothing else chooses it for. */
class BrokerPriorityTest {
    private static final String PRIORITY = "_SYS_MSG_PRIORITY_";

    private SteppedBroker broker;

    @BeforeEach
    void open() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), new SteppedBroker.TurnedClock(), 1);
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
    }

    private int queueOf(String properties, int asked) throws Exception {
        Answer<SendMessageResponse> answer = broker.sendWith("T", asked, properties, "m");
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return answer.require().queueId();
    }

    private MessageExt only(int queueId) throws Exception {
        assertThat(broker.messages("T", queueId)).hasSize(1);
        return broker.messages("T", queueId).get(0);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "3, 3", "4, 3", "2147483647, 3"})
    void aPriorityIsTheQueueOrTheLastOne(int priority, int queueId) throws Exception {
        assertThat(queueOf(PRIORITY + "=" + priority + ";", 2)).isEqualTo(queueId);
        assertThat(only(queueId).properties()).containsEntry(PRIORITY, Integer.toString(priority));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "high", "99999999999"})
    void whatIsNoPriorityChoosesNothing(String text) throws Exception {
        assertThat(queueOf(PRIORITY + "=" + text + ";", 2)).isEqualTo(2);
    }

    @Test
    void anOrderedMessageStaysInItsQueueAndLosesItsPriority() throws Exception {
        assertThat(queueOf("__SHARDINGKEY=k;" + PRIORITY + "=1;", 2)).isEqualTo(2);
        assertThat(only(2).properties()).doesNotContainKey(PRIORITY).containsEntry("__SHARDINGKEY", "k");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELAY=1;", "TIMER_DELAY_SEC=1;"})
    void aDelayedMessageStaysInItsQueueAndLosesItsPriority(String delay) throws Exception {
        assertThat(queueOf(PRIORITY + "=1;" + delay, 2)).isEqualTo(2);
        broker.pass(1_000);
        assertThat(only(2).properties()).doesNotContainKey(PRIORITY);
    }
}
