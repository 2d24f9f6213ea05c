package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A batch is taken whole or not at all. */
class BrokerBatchTest {
    private SteppedBroker broker;

    @BeforeEach
    void open() throws Exception {
        broker = new SteppedBroker(new CrashingDisk(new Random(1)), new SteppedBroker.TurnedClock(), 1);
        broker.run(broker.createTopic("T", 4));
        broker.run(broker.heartbeat("c"));
    }

    private Answer<SendMessageResponse> send(String topic, List<Message> entries) throws Exception {
        SendMessageHeader header = new SendMessageHeader(
                "p", topic, "TBW102", 4, 1, 0, 0, 0, PropertyText.EMPTY, 0, false, -1, true, null);
        return broker.run(broker.call(broker.client, Rpcs.SEND_BATCH_MESSAGE, header, BatchBody.encode(entries)));
    }

    private static Message entry(String body, Map<String, String> properties) {
        return new Message("T", body.getBytes(StandardCharsets.UTF_8), 0, properties);
    }

    @Test
    void offsetsAndIdsAreThoseOfTheEntries() throws Exception {
        broker.run(broker.send("T", 1, "before"));
        Answer<SendMessageResponse> answer = send(
                "T",
                List.of(
                        entry("one", Map.of("KEYS", "a", "UNIQ_KEY", "A1")),
                        entry("two", Map.of("KEYS", "b", "UNIQ_KEY", "B2")),
                        entry("three", Map.of())));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(answer.require().queueId()).isEqualTo(1);
        assertThat(answer.require().queueOffset()).isEqualTo(1);
        broker.settle();
        List<MessageExt> stored = broker.messages("T", 1).subList(1, 4);
        assertThat(stored).extracting(MessageExt::bodyText).containsExactly("one", "two", "three");
        assertThat(stored).extracting(MessageExt::queueOffset).containsExactly(1L, 2L, 3L);
        assertThat(TestBroker.messageId(answer))
                .isEqualTo(String.join(
                        ",", stored.stream().map(MessageExt::offsetMessageId).toList()));
        assertThat(stored.get(1).properties()).containsEntry("UNIQ_KEY", "B2");
    }

    @ParameterizedTest
    @CsvSource({
        "DELAY, 3, 13, a batch entry cannot be delayed",
        "TIMER_DELIVER_MS, 1, 13, a batch entry cannot be delayed",
        "TRAN_MSG, true, 13, TRAN_MSG"
    })
    void oneBadEntryLeavesTheLogUnchanged(String property, String value, int code, String word) throws Exception {
        broker.settle();
        long end = broker.broker.logEndOffset();
        for (int bad = 0; bad < 3; bad++) {
            List<Message> entries = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                entries.add(entry("m" + i, i == bad ? Map.of(property, value) : Map.of()));
            }
            Answer<SendMessageResponse> answer = send("T", entries);
            assertThat(answer.code()).isEqualTo(code);
            assertThat(answer.remarkText()).contains("batch entry " + bad, word);
        }
        broker.settle();
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
    }

    @Test
    void anEntryThatHasWaitedAlreadyIsTaken() throws Exception {
        assertThat(send("T", List.of(entry("again", Map.of("TIMER_DELAY_SEC", "5", "TIMER_OUT_MS", "1"))))
                        .code())
                .isZero();
        broker.settle();
        assertThat(broker.messages("T", 1)).hasSize(1);
    }

    @Test
    void aTopicNameThatIsTooLongIsRefused() throws Exception {
        Answer<SendMessageResponse> answer = send("x".repeat(128), List.of(entry("m", Map.of())));
        assertThat(answer.code()).isEqualTo(ResponseCode.MESSAGE_ILLEGAL);
        assertThat(answer.remarkText()).contains("128 characters, limit 127");
    }
}
