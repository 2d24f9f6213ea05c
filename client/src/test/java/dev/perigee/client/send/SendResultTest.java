package dev.perigee.client.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a broker's answer says about one message, and about one of several. */
final class SendResultTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 1);

    private static SendMessageResponse answer(
            String ids, @Nullable String transactionId, @Nullable String handle, @Nullable String traceOn) {
        return new SendMessageResponse(ids, 1, 40, transactionId, null, handle, "R", traceOn);
    }

    @Test
    void aSingleAnswerIsKeptWhole() {
        SendResult result = SendResult.of(SendStatus.SEND_OK, "K", QUEUE, answer("ID", "TX", "H", "true"));
        assertThat(result.transactionId()).isEqualTo("TX");
        assertThat(result.recallHandle()).contains("H");
        assertThat(result.region()).isEqualTo("R");
        assertThat(result.traceOn()).isTrue();
        assertThat(result.offsetMessageId()).isEqualTo("ID");
        assertThat(result.queueOffset()).isEqualTo(40);
    }

    @Test
    void whatABrokerLeavesOutHasAMeaning() {
        SendMessageResponse bare = new SendMessageResponse("ID", 1, 40, null, null, null, null, null);
        SendResult result = SendResult.of(SendStatus.SEND_OK, "K", QUEUE, bare);
        assertThat(result.transactionId()).isEqualTo("K");
        assertThat(result.recallHandle()).isEmpty();
        assertThat(result.region()).isEmpty();
        assertThat(result.traceOn()).isTrue();
    }

    @Test
    void onlyTheWordFalseSwitchesTracesOff() {
        assertThat(SendResult.of(SendStatus.SEND_OK, "K", QUEUE, answer("ID", null, null, "false"))
                        .traceOn())
                .isFalse();
        assertThat(SendResult.of(SendStatus.SEND_OK, "K", QUEUE, answer("ID", null, null, ""))
                        .traceOn())
                .isTrue();
    }

    @Test
    void aMessageOfABatchHasItsOwnPlaceAndNothingThatIsOfTheWhole() {
        SendMessageResponse answer = answer("A,B,C", "TX", "H", "false");
        SendResult whole = SendResult.ofBatch(SendStatus.SEND_OK, "K1,K2,K3", QUEUE, answer);
        SendResult second = whole.entry("K2", 1);
        assertThat(whole.offsetMessageId()).isEqualTo("A,B,C");
        assertThat(second.messageId()).isEqualTo("K2");
        assertThat(second.offsetMessageId()).isEqualTo("B");
        assertThat(second.queueOffset()).isEqualTo(41);
        assertThat(second.transactionId()).isEqualTo("K2");
        assertThat(second.recallHandle()).isEmpty();
        assertThat(second.traceOn()).isFalse();
        assertThat(whole.entry("K4", 3).offsetMessageId())
                .as("an answer that names too few")
                .isEmpty();
    }
}
