package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.protocol.header.query.QueryLimits;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much one answer to a query by key holds. Stock clients ask once, so it must be as much as a frame can hold. */
class QueryAnswerSizeTest {
    private static final int LARGEST_BODY_BYTES = 12 << 20;

    @TempDir
    Path folder;

    private static List<MessageExt> query(TestBroker broker) throws Exception {
        Answer<?> answer = broker.call(
                Rpcs.QUERY_MESSAGE,
                new QueryMessageHeader("T", "k", QueryLimits.MAX_MESSAGES, 0, Long.MAX_VALUE, false, null, null),
                null);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return TestBroker.messages(answer);
    }

    private static void send(TestBroker broker, int bodyBytes) throws Exception {
        Answer<?> sent =
                broker.call(Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, "KEYS=k;"), new byte[bodyBytes]);
        assertThat(sent.code()).as(sent.remarkText()).isZero();
    }

    /** Clients take an answer for cut short only from that size on: see what they do with pages that repeat. */
    @Test
    void anAnswerThatALargestMessageEndedIsAsLargeAsClientsAreTold() {
        int largestFrameBytes = LARGEST_BODY_BYTES + (64 << 10);
        assertThat(QueryLimits.MAX_ANSWER_BYTES - largestFrameBytes)
                .isGreaterThanOrEqualTo(QueryLimits.SMALLEST_FULL_BYTES);
        Properties larger = new Properties();
        larger.setProperty("storePathRootDir", folder.toString());
        larger.setProperty("maxMessageSize", Integer.toString(LARGEST_BODY_BYTES + 1));
        assertThatThrownBy(() -> BrokerConfig.read(larger)).hasMessageContaining("maxMessageSize");
    }

    @Test
    void sixtyFourMessagesOf128KibComeInOneAnswer() throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of("flushDiskType", "ASYNC_FLUSH"))) {
            for (int i = 0; i < QueryLimits.MAX_MESSAGES; i++) {
                send(broker, 128 << 10);
            }
            assertThat(query(broker)).hasSize(QueryLimits.MAX_MESSAGES);
        }
    }

    @Test
    void whatDoesNotFitAFrameEndsTheAnswerAtTheNewestMessagesThatDo() throws Exception {
        Map<String, String> settings = Map.of(
                "flushDiskType", "ASYNC_FLUSH",
                "maxMessageSize", Integer.toString(LARGEST_BODY_BYTES),
                "mappedFileSizeCommitLog", Integer.toString(64 << 20));
        try (TestBroker broker = new TestBroker(folder, settings)) {
            send(broker, 1 << 10);
            send(broker, 8 << 20);
            send(broker, 4 << 20);
            send(broker, 4 << 20);
            assertThat(query(broker)).extracting(MessageExt::queueOffset).containsExactly(3L, 2L);
            send(broker, LARGEST_BODY_BYTES);
            assertThat(query(broker)).extracting(MessageExt::queueOffset).containsExactly(4L);
        }
    }
}
