package dev.perigee.broker;

import static dev.perigee.broker.BadInputBroker.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A topic that is made for a send, and deleted before that send goes on. */
class TopicsThatGoUnderASendTest {
    private SteppedBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), new SteppedBroker.TurnedClock(), 7);
        assertThat(broker.run(broker.createTopic("T", 1)).code()).isZero();
        assertThat(broker.run(broker.heartbeat("c")).code()).isZero();
    }

    private Answer<SendMessageResponse> overtakenByTheEndOf(
            String topic, CompletableFuture<Answer<SendMessageResponse>> send) throws Exception {
        CompletableFuture<Answer<NoHeader>> deletion =
                broker.call(broker.client, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader(topic), null);
        broker.stepNetworkOnly(); // the deletion waits in line behind the creation
        broker.stepAllBut("no loop"); // and the send goes on when the network does
        assertThat(send).isNotDone();
        Answer<SendMessageResponse> answer = broker.run(send);
        assertThat(broker.run(deletion).code()).isZero();
        return answer;
    }

    @Test
    void aDeadLetterIsToldThatItsTopicWent() throws Exception {
        SendMessageHeader header = new SendMessageHeader(
                "producers",
                "%RETRY%g",
                "TBW102",
                4,
                0,
                0,
                0,
                0,
                PropertyText.of("RETRY_TOPIC\u0001T\u0002"),
                17,
                false,
                16,
                false,
                null);
        Answer<SendMessageResponse> answer =
                overtakenByTheEndOf("%DLQ%g", broker.call(broker.client, Rpcs.SEND_MESSAGE_V2, header, new byte[] {1}));
        assertRefused(answer, ResponseCode.TOPIC_NOT_EXIST, "topic[%DLQ%g] was deleted meanwhile");
    }

    @Test
    void anOrdinarySendIsToldThatThereIsNoSuchTopic() throws Exception {
        Answer<SendMessageResponse> answer = overtakenByTheEndOf("Fresh", broker.send("Fresh", 0, "m"));
        assertRefused(answer, ResponseCode.TOPIC_NOT_EXIST, "topic[Fresh] not exist");
    }
}
