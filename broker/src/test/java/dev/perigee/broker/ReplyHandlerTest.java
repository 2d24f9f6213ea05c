package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.send.CheckedSends;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.header.send.ReplyMessageHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.MemoryViewStores;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reply reaches the client that waits for it, or its sender hears why not and nothing is stored. */
class ReplyHandlerTest {
    private static final String TOPIC = "DefaultCluster_REPLY_TOPIC";
    private static final String CLIENT = "10.0.0.1@requester";
    private static final String WHOLE =
            "CORRELATION_ID=c-1;REPLY_TO_CLIENT=" + CLIENT + ";MSG_TYPE=reply;TTL=3000;UNIQ_KEY=U1;";

    /** A reply as its requester got it. */
    private record Pushed(ReplyMessageHeader header, String body) {}

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private final List<Pushed> pushed = new ArrayList<>();
    private SteppedBroker node;
    private RemotingClient requester;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), new MemoryViewStores(), clock, 7, 4 << 20, 16 << 20);
        requester = requester(this::take);
    }

    private void take(Request<ReplyMessageHeader> request, Reply<NoHeader> reply) {
        pushed.add(new Pushed(request.header(), new String(request.copyBody(), StandardCharsets.UTF_8)));
        reply.ok(NoHeader.NONE);
    }

    /** What a requester does with a reply. */
    private interface Taking {
        void take(Request<ReplyMessageHeader> request, Reply<NoHeader> reply);
    }

    private RemotingClient requester(Taking taking) throws Exception {
        RemotingClient client = node.newClient();
        client.onRequest(HandlerTable.builder()
                .on(Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT, taking::take)
                .build());
        beat(client);
        return client;
    }

    private void beat(RemotingClient client) throws Exception {
        beat(client, CLIENT);
    }

    private void beat(RemotingClient client, String clientId) throws Exception {
        HeartbeatData data = new HeartbeatData(clientId, Set.of(new ProducerData("askers")), Set.of(), 0, false);
        assertThat(node.run(node.call(client, Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data)))
                        .code())
                .isZero();
    }

    private CompletableFuture<Answer<SendMessageResponse>> reply(
            Rpc<SendMessageHeader, SendMessageResponse> rpc, SendMessageHeader header, byte[] body) {
        return node.call(node.client, rpc, header, body);
    }

    private CompletableFuture<Answer<SendMessageResponse>> reply(String properties) {
        return reply(
                Rpcs.SEND_REPLY_MESSAGE_V2,
                TestBroker.sendHeader(TOPIC, 0, properties),
                "answer".getBytes(StandardCharsets.UTF_8));
    }

    private List<MessageExt> stored() throws Exception {
        return TestBroker.messages(
                node.run(node.call(node.client, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", TOPIC, 0, 0, 0), null)));
    }

    private void assertRefused(Answer<SendMessageResponse> answer, int code, String... words) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
    }

    @Test
    void aReplyReachesTheClientThatWaitsAndIsStoredThen() throws Exception {
        Answer<SendMessageResponse> answer = node.run(reply(WHOLE));

        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(pushed).singleElement().satisfies(push -> {
            assertThat(push.body()).isEqualTo("answer");
            assertThat(push.header().topic()).isEqualTo(TOPIC);
            assertThat(push.header().producerGroup()).isEqualTo("producers");
            assertThat(push.header().bornTimestamp()).isEqualTo(1_760_000_000_000L);
            assertThat(push.header().flag()).isEqualTo(7);
            assertThat(push.header().storeTimestamp()).isEqualTo(clock.wallMs());
            assertThat(push.header().storeHost()).isEqualTo(node.broker.address());
            assertThat(push.header().bornHost()).matches("[0-9.]+:[0-9]+");
            assertThat(PropertyText.of(Objects.requireNonNull(push.header().properties()))
                            .toMap())
                    .containsEntry("CORRELATION_ID", "c-1")
                    .containsEntry("REPLY_TO_CLIENT", CLIENT)
                    .containsEntry("MSG_TYPE", "reply")
                    .containsEntry("TTL", "3000")
                    .containsEntry("PUSH_REPLY_TIME", Long.toString(clock.wallMs()));
        });
        assertThat(stored()).singleElement().satisfies(message -> {
            assertThat(message.offsetMessageId()).isEqualTo(TestBroker.messageId(answer));
            assertThat(message.properties()).containsEntry("CORRELATION_ID", "c-1");
        });
    }

    @Test
    void theHeaderWithLongNamesIsTakenToo() throws Exception {
        Answer<SendMessageResponse> answer =
                node.run(reply(Rpcs.SEND_REPLY_MESSAGE, TestBroker.sendHeader(TOPIC, 0, WHOLE), new byte[] {1}));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        assertThat(pushed).hasSize(1);
    }

    @Test
    void aReplyWithoutCorrelationIdReachesNobodyAndTheLogStaysAsItIs() throws Exception {
        long endOffset = node.broker.logEndOffset();
        assertRefused(
                node.run(reply("REPLY_TO_CLIENT=" + CLIENT + ";MSG_TYPE=reply;")),
                ResponseCode.MESSAGE_ILLEGAL,
                "CORRELATION_ID");
        assertThat(pushed).isEmpty();
        assertThat(node.broker.logEndOffset()).isEqualTo(endOffset);
    }

    @Test
    void aReplyToNobodyIsRefusedByTheNameItGivesAndIsNotStored() throws Exception {
        long endOffset = node.broker.logEndOffset();
        assertRefused(
                node.run(reply("CORRELATION_ID=c-1;REPLY_TO_CLIENT=ghost;")), ResponseCode.SYSTEM_ERROR, "<ghost>");
        assertRefused(node.run(reply("CORRELATION_ID=c-1;")), ResponseCode.SYSTEM_ERROR, "REPLY_TO_CLIENT");
        assertThat(node.broker.logEndOffset()).isEqualTo(endOffset);
    }

    @Test
    void aReplyThatItsRequesterDoesNotTakeIsNotStored() throws Exception {
        requester((request, reply) -> reply.fail(ResponseCode.SYSTEM_ERROR, "full"));
        long endOffset = node.broker.logEndOffset();
        assertRefused(node.run(reply(WHOLE)), ResponseCode.SYSTEM_ERROR, CLIENT, "full");
        assertThat(node.broker.logEndOffset()).isEqualTo(endOffset);
    }

    @Test
    void aRequesterThatDoesNotAnswerIsWaitedForTenSeconds() throws Exception {
        requester((request, reply) -> {});
        long endOffset = node.broker.logEndOffset();
        CompletableFuture<Answer<SendMessageResponse>> answer = reply(WHOLE);
        node.settle();
        clock.nowMs += 9_000;
        node.settle();
        assertThat(answer).isNotDone();
        clock.nowMs += 2_000;
        assertRefused(node.run(answer), ResponseCode.SYSTEM_ERROR, CLIENT);
        assertThat(node.broker.logEndOffset()).isEqualTo(endOffset);
    }

    @Test
    void aReplyGoesToTheConnectionItsClientWasHeardOnLast() throws Exception {
        List<String> second = new ArrayList<>();
        requester((request, reply) -> {
            second.add(request.header().topic());
            reply.ok(NoHeader.NONE);
        });
        node.run(reply(WHOLE));
        assertThat(second).hasSize(1);
        assertThat(pushed).isEmpty();

        beat(requester);
        node.run(reply(WHOLE));
        assertThat(second).hasSize(1);
        assertThat(pushed).hasSize(1);
    }

    @Test
    void aReplyThatCouldNotBeStoredIsNotPushed() throws Exception {
        long endOffset = node.broker.logEndOffset();
        SendMessageHeader unknown = TestBroker.sendHeader("Unknown", 0, WHOLE);
        assertRefused(
                node.run(reply(Rpcs.SEND_REPLY_MESSAGE_V2, unknown, new byte[] {1})),
                ResponseCode.TOPIC_NOT_EXIST,
                "Unknown");
        SendMessageHeader queue = TestBroker.sendHeader(TOPIC, 9, WHOLE);
        assertRefused(
                node.run(reply(Rpcs.SEND_REPLY_MESSAGE_V2, queue, new byte[] {1})),
                ResponseCode.INVALID_PARAMETER,
                "queueId[9]");
        assertRefused(node.run(reply(WHOLE + "TRAN_MSG=true;")), ResponseCode.MESSAGE_ILLEGAL, "TRAN_MSG=true");
        SendMessageHeader whole = TestBroker.sendHeader(TOPIC, 0, WHOLE);
        assertRefused(
                node.run(reply(Rpcs.SEND_REPLY_MESSAGE_V2, whole, new byte[(4 << 20) + 1])),
                ResponseCode.MESSAGE_ILLEGAL,
                "limit 4194304");
        assertThat(pushed).isEmpty();
        assertThat(node.broker.logEndOffset()).isEqualTo(endOffset);
    }

    @Test
    void aReplyCannotWaitNorTakePartInATransaction() throws Exception {
        long endOffset = node.broker.logEndOffset();
        for (String delay : List.of(
                "DELAY=3",
                "DELAY=none",
                "TIMER_DELAY_SEC=5",
                "TIMER_DELAY_MS=5000",
                "TIMER_DELAY_MS=-1",
                "TIMER_DELIVER_MS=" + (clock.wallMs() + 1))) {
            assertRefused(node.run(reply(WHOLE + delay + ";")), ResponseCode.MESSAGE_ILLEGAL, delay);
        }
        for (int bits : new int[] {
            SysFlag.TRANSACTION_PREPARED, SysFlag.TRANSACTION_COMMIT, SysFlag.TRANSACTION_ROLLBACK | SysFlag.COMPRESSED
        }) {
            SendMessageHeader header = TestBroker.sendHeader(TOPIC, 0, WHOLE, bits);
            assertRefused(
                    node.run(reply(Rpcs.SEND_REPLY_MESSAGE_V2, header, new byte[] {1})),
                    ResponseCode.MESSAGE_ILLEGAL,
                    "sysFlag=" + bits);
        }
        assertThat(pushed).isEmpty();
        assertThat(node.broker.logEndOffset()).isEqualTo(endOffset);
    }

    @Test
    void aDelayOfNothingIsNone() throws Exception {
        List<String> none = List.of("DELAY=0", "TIMER_DELAY_SEC=0", "TIMER_DELAY_MS=0", "TIMER_DELIVER_MS=1");
        for (String delay : none) {
            Answer<SendMessageResponse> answer = node.run(reply(WHOLE + delay + ";"));
            assertThat(answer.code()).as(delay + ": " + answer.remarkText()).isZero();
        }
        assertThat(pushed).hasSize(none.size());
        assertThat(stored()).hasSize(none.size());
    }

    @Test
    void repliesOnTheirWayAreBoundedForEachRequesterAndTogether() throws Exception {
        List<Reply<NoHeader>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            beat(silent(waiting), "silent-" + i);
        }
        List<CompletableFuture<Answer<SendMessageResponse>>> answers = new ArrayList<>();
        for (int client = 0; client < 4; client++) {
            for (int i = 0; i < 4; i++) {
                answers.add(large("silent-" + client));
                node.settle();
            }
        }
        // four of 4 MiB less what their properties take: what is left of 16 MiB holds no other, nor does what is left
        // of 64 MiB
        assertRefused(
                node.run(large("silent-0")), ResponseCode.SYSTEM_BUSY, "to <silent-0> hold 1677", "limit 16777216");
        assertRefused(node.run(large("silent-4")), ResponseCode.SYSTEM_BUSY, "way hold 671", "limit 67108864");
        assertThat(waiting).hasSize(16);
        clock.nowMs += 11_000; // the others give up, and there is room again
        for (CompletableFuture<Answer<SendMessageResponse>> answer : answers) {
            assertThat(node.run(answer).code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
        }
        assertThat(node.run(reply(WHOLE)).code()).isZero();
    }

    @Test
    void propertiesCountTooForASilentRequester() throws Exception {
        List<Reply<NoHeader>> waiting = new ArrayList<>();
        beat(silent(waiting), "silent");
        String much = "mine=" + "x".repeat(32_000) + ";";
        List<CompletableFuture<Answer<SendMessageResponse>>> answers = new ArrayList<>();
        while (answers.size() < 1_000 && answers.stream().noneMatch(CompletableFuture::isDone)) {
            answers.add(reply(
                    Rpcs.SEND_REPLY_MESSAGE_V2,
                    TestBroker.sendHeader(TOPIC, 0, WHOLE.replace(CLIENT, "silent") + much),
                    new byte[] {1}));
            node.settle();
        }
        assertThat(answers).hasSizeBetween(500, 530);
        assertRefused(
                node.run(answers.get(answers.size() - 1)), ResponseCode.SYSTEM_BUSY, "to <silent>", "limit 16777216");
    }

    private RemotingClient silent(List<Reply<NoHeader>> waiting) {
        RemotingClient client = node.newClient();
        client.onRequest(HandlerTable.builder()
                .on(Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT, (request, reply) -> waiting.add(reply))
                .build());
        return client;
    }

    private CompletableFuture<Answer<SendMessageResponse>> large(String client) {
        SendMessageHeader header = TestBroker.sendHeader(TOPIC, 0, WHOLE.replace(CLIENT, client));
        return reply(Rpcs.SEND_REPLY_MESSAGE_V2, header, new byte[(4 << 20) - 200]);
    }

    @Test
    void aBrokerThatIsToldSoDoesNotStoreReplies(@TempDir Path folder) throws Exception {
        try (TestBroker broker = new TestBroker(folder, Map.of("storeReplyMessageEnable", "false"))) {
            broker.client.onRequest(HandlerTable.builder()
                    .on(Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT, (request, reply) -> reply.ok(NoHeader.NONE))
                    .build());
            HeartbeatData data = new HeartbeatData(CLIENT, Set.of(new ProducerData("askers")), Set.of(), 0, false);
            broker.call(Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data));
            long endOffset = broker.broker.logEndOffset();
            Answer<SendMessageResponse> answer =
                    broker.call(Rpcs.SEND_REPLY_MESSAGE_V2, TestBroker.sendHeader(TOPIC, 0, WHOLE), new byte[] {1});

            assertThat(answer.code()).as(answer.remarkText()).isZero();
            assertThat(answer.require().msgId()).isEqualTo(CheckedSends.NO_MESSAGE_ID);
            assertThat(answer.require().queueOffset()).isZero();
            assertThat(broker.broker.logEndOffset()).isEqualTo(endOffset);
        }
    }
}
