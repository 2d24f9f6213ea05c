package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.query.ViewMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerMessagesTest {
    @TempDir
    Path folder;

    private TestBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new TestBroker(folder, Map.of());
    }

    @AfterEach
    void stop() throws Exception {
        broker.close();
    }

    @Test
    void aSendCreatesItsTopicAndIsReadBack() throws Exception {
        Answer<SendMessageResponse> sent = broker.send("T", 1, "hello", "TAGS=a;UNIQ_KEY=AC1101;");
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(sent.require().queueId()).isEqualTo(1);
        assertThat(sent.require().queueOffset()).isZero();
        assertThat(sent.require().transactionId()).isEqualTo("AC1101");
        assertThat(sent.require().region()).isEqualTo("DefaultRegion");
        assertThat(sent.require().traceOn()).isEqualTo("true");

        Answer<PullMessageResponse> pulled = broker.pull("g", "T", 1, 0);
        assertThat(pulled.code()).as(pulled.remarkText()).isZero();
        assertThat(pulled.remark()).isEqualTo("FOUND");
        assertThat(pulled.require().nextBeginOffset()).isEqualTo(1);
        MessageExt message = TestBroker.messages(pulled).get(0);
        assertThat(new String(message.body(), StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(message.properties())
                .containsEntry("TAGS", "a")
                .containsEntry("CLUSTER", "DefaultCluster")
                .containsEntry("MSG_REGION", "DefaultRegion");
        assertThat(message.flag()).isEqualTo(7);
    }

    @Test
    void queuesAreDenseAndPullsAreBounded() throws Exception {
        for (int i = 0; i < 40; i++) {
            assertThat(broker.send("T", 0, "m" + i).require().queueOffset()).isEqualTo(i);
        }
        Answer<PullMessageResponse> first = broker.pull("g", "T", 0, 0);
        assertThat(TestBroker.bodies(first)).hasSize(32).startsWith("m0").endsWith("m31");
        Answer<PullMessageResponse> rest =
                broker.pull("g", "T", 0, first.require().nextBeginOffset());
        assertThat(TestBroker.bodies(rest)).hasSize(8).endsWith("m39");
        assertThat(rest.require().maxOffset()).isEqualTo(40);
    }

    @Test
    void aBatchIsOneUnitWithOneIdPerMessage() throws Exception {
        List<Message> messages = List.of(message("x"), message("y"), message("z"));
        Answer<SendMessageResponse> sent =
                broker.call(Rpcs.SEND_BATCH_MESSAGE, TestBroker.sendHeader("T", 2, ""), BatchBody.encode(messages));
        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(sent.require().msgId()).contains(",");
        assertThat(TestBroker.messageId(sent).split(",")).hasSize(3);
        assertThat(TestBroker.bodies(broker.pull("g", "T", 2, 0))).containsExactly("x", "y", "z");
    }

    private static Message message(String body) {
        return Message.builder("T").body(body.getBytes(StandardCharsets.UTF_8)).build();
    }

    @Test
    void aMessageIsFoundByOffsetIdAndByKeys() throws Exception {
        Answer<SendMessageResponse> sent = broker.send("T", 0, "hello", "KEYS=k1 k2;UNIQ_KEY=AC1102;");
        long offset = MessageId.parse(TestBroker.messageId(sent)).physicalOffset();
        assertThat(TestBroker.bodies(broker.call(Rpcs.VIEW_MESSAGE_BY_ID, new ViewMessageHeader(null, offset), null)))
                .containsExactly("hello");
        assertThat(TestBroker.bodies(byKey("k2", false))).containsExactly("hello");
        assertThat(TestBroker.bodies(byKey("AC1102", true))).containsExactly("hello");
        assertThat(byKey("k3", false).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    private Answer<?> byKey(String key, boolean unique) throws Exception {
        return broker.call(
                Rpcs.QUERY_MESSAGE, new QueryMessageHeader("T", key, 10, 0, Long.MAX_VALUE, unique, null, null), null);
    }

    @Test
    void onlyTheStartOfAFrameIsAMessage() throws Exception {
        long offset = MessageId.parse(TestBroker.messageId(broker.send("T", 0, "hello")))
                .physicalOffset();
        for (long wrong : new long[] {offset + 1, offset - 1, 0, -1, Long.MAX_VALUE}) {
            Answer<?> answer = broker.call(Rpcs.VIEW_MESSAGE_BY_ID, new ViewMessageHeader(null, wrong), null);
            assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(answer.remark()).contains(Long.toString(wrong));
        }
    }

    @Test
    void aParkedPullWakesWhenAMessageArrives() throws Exception {
        broker.send("T", 0, "first");
        broker.pull("g", "T", 0, 0);
        CompletableFuture<Answer<PullMessageResponse>> parked = broker.client.call(
                broker.address,
                Rpcs.PULL_MESSAGE,
                TestBroker.pullHeader("g", "T", 0, 1, 20_000),
                null,
                Deadline.after(Clock.system(), 30_000));
        broker.send("T", 1, "elsewhere");
        assertThat(parked).isNotDone();
        broker.send("T", 0, "second");
        assertThat(TestBroker.bodies(parked.get())).containsExactly("second");
    }

    @Test
    void aParkedPullIsAnsweredAtItsDeadline() throws Exception {
        broker.send("T", 0, "first");
        Answer<PullMessageResponse> answer =
                broker.call(Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", 0, 1, 200), null);
        assertThat(answer.code()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(answer.remark()).isEqualTo("OFFSET_OVERFLOW_ONE");
        assertThat(answer.require().nextBeginOffset()).isEqualTo(1);
    }

    @Test
    void offsetsOutsideAQueueAreCorrected() throws Exception {
        broker.send("T", 0, "first");
        Answer<PullMessageResponse> far = broker.pull("g", "T", 0, 9);
        assertThat(far.code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(far.remark()).isEqualTo("OFFSET_OVERFLOW_BADLY");
        assertThat(far.require().nextBeginOffset()).isEqualTo(1);
        Answer<PullMessageResponse> empty = broker.pull("g", "T", 3, 5);
        assertThat(empty.code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(empty.require().nextBeginOffset()).isZero();
    }

    @Test
    void commitsAreAnsweredBackAtOnceAndSmallerOnesAreObeyed() throws Exception {
        for (int i = 0; i < 5; i++) {
            broker.send("T", 0, "m");
        }
        broker.heartbeat("c1", "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T");
        assertThat(offset("g", 0).require().offset()).isZero();
        assertThat(commit("g", 0, 4).code()).isZero();
        assertThat(offset("g", 0).require().offset()).isEqualTo(4);
        assertThat(commit("g", 0, 2).code()).isZero();
        assertThat(offset("g", 0).require().offset()).isEqualTo(2);
    }

    @Test
    void aCommitBeyondTheEndIsRefused() throws Exception {
        broker.send("T", 0, "m");
        broker.heartbeat("c1", "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T");
        Answer<?> answer = commit("g", 0, 2);
        assertThat(answer.code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        assertThat(answer.remark()).contains("commitOffset 2").contains("between 0 and 1");
        assertThat(offset("g", 0).require().offset()).isZero();
    }

    @Test
    void aNewGroupStartsAtTheEndOfWhatWasThereAndAtZeroOfWhatComesLater() throws Exception {
        broker.send("T", 0, "old");
        broker.heartbeat("c1", "g", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T", "Later");
        assertThat(offset("g", 0).require().offset()).isEqualTo(1);
        assertThat(offset("g", 1).require().offset()).isZero();
        broker.send("Later", 0, "new");
        Answer<OffsetResponse> later =
                broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", "Later", 0, null), null);
        assertThat(later.require().offset()).isZero();
    }

    @Test
    void aGroupThatStartsByTimeIsNotPinned() throws Exception {
        broker.send("T", 0, "old");
        broker.heartbeat("c1", "g", ConsumeFromWhere.CONSUME_FROM_TIMESTAMP, "T");
        assertThat(offset("g", 0).code()).isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    @Test
    void theEndOfAQueueShowsEverySendAnsweredBefore() throws Exception {
        for (int i = 1; i <= 20; i++) {
            broker.send("T", 0, "m");
            assertThat(broker.call(Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader("T", 0, true), null)
                            .require()
                            .offset())
                    .isEqualTo(i);
        }
    }

    private Answer<OffsetResponse> offset(String group, int queueId) throws Exception {
        return broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, "T", queueId, null), null);
    }

    private Answer<?> commit(String group, int queueId, long offset) throws Exception {
        return broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader(group, "T", queueId, offset), null);
    }
}
