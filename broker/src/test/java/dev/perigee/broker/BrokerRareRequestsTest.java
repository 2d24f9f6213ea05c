package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.group.SubscriptionGroupList;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Requests that Perigee's own client and tools seldom or never send, carried out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerRareRequestsTest {
    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private <Q extends Record> byte[] ok(Rpc<Q, ?> rpc, Q header, byte[] body) throws Exception {
        Answer<?> answer = broker.call(rpc, header, body);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return answer.body();
    }

    @Test
    void aSendWithLongHeaderNamesIsStoredLikeAnyOther() throws Exception {
        Answer<SendMessageResponse> sent = broker.call(
                Rpcs.SEND_MESSAGE,
                TestBroker.sendHeader("Plain", 2, "TAGS=a;KEYS=k;"),
                "plain".getBytes(StandardCharsets.UTF_8));

        assertThat(sent.code()).as(sent.remarkText()).isZero();
        assertThat(sent.require().queueId()).isEqualTo(2);
        assertThat(sent.require().queueOffset()).isZero();
        assertThat(sent.require().region()).isEqualTo("DefaultRegion");
        Answer<?> pulled = broker.pull("g", "Plain", 2, 0);
        assertThat(TestBroker.bodies(pulled)).containsExactly("plain");
        assertThat(TestBroker.messages(pulled).get(0).properties())
                .containsEntry("TAGS", "a")
                .containsEntry("KEYS", "k");
        assertThat(TestBroker.messages(pulled).get(0).flag()).isEqualTo(7);
    }

    @Test
    void aListOfGroupsIsTakenAndEachIsShownWhole() throws Exception {
        SubscriptionGroupConfig odd = new SubscriptionGroupConfig(
                "odd", false, false, false, true, 3, 7, null, 1, 2, false, 4, 5, null, Map.of());
        SubscriptionGroupConfig plain = SubscriptionGroupConfig.of("plain");
        ok(
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,
                NoHeader.NONE,
                Json.write(new SubscriptionGroupList(List.of(odd, plain))));

        for (SubscriptionGroupConfig group : List.of(odd, plain)) {
            byte[] shown = ok(Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, new GroupHeader(group.groupName()), new byte[0]);
            assertThat(new String(shown, StandardCharsets.UTF_8))
                    .isEqualTo(new String(Json.write(group), StandardCharsets.UTF_8));
        }
        assertThat(Json.read(
                        ok(Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, new GroupHeader("odd"), new byte[0]),
                        SubscriptionGroupConfig.class))
                .isEqualTo(odd);
    }

    @Test
    void aListWithOneBadGroupChangesNothing() throws Exception {
        SubscriptionGroupConfig fine = SubscriptionGroupConfig.of("untouched");
        ok(Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, Json.write(fine));
        long end = broker.broker.logEndOffset();
        SubscriptionGroupConfig changed = new SubscriptionGroupConfig(
                "untouched", true, true, true, false, 1, 9, null, 0, 1, true, 0, 15, null, Map.of());

        Answer<?> answer = broker.call(
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,
                NoHeader.NONE,
                Json.write(new SubscriptionGroupList(List.of(changed, SubscriptionGroupConfig.of("a/b")))));

        BadInputBroker.assertRefused(answer, ResponseCode.INVALID_PARAMETER, "a/b");
        assertThat(broker.broker.logEndOffset()).isEqualTo(end);
    }

    @Test
    void cleaningIsAcknowledgedAndHarmsNothing() throws Exception {
        broker.send("Kept", 0, "kept");
        for (Rpc<NoHeader, NoHeader> rpc :
                List.of(Rpcs.CLEAN_EXPIRED_CONSUMEQUEUE, Rpcs.CLEAN_UNUSED_TOPIC, Rpcs.DELETE_EXPIRED_COMMITLOG)) {
            assertThat(ok(rpc, NoHeader.NONE, new byte[0])).isEmpty();
        }
        assertThat(TestBroker.bodies(broker.pull("g", "Kept", 0, 0))).containsExactly("kept");
    }

    /** A consumer on a connection of its own that answers what the broker relays. */
    private final class Asked implements AutoCloseable {
        private final EventLoops loops = EventLoops.start("asked", 1);
        private final RemotingClient client = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());

        Asked(String clientId, String group, HandlerTable answers) throws Exception {
            client.onRequest(answers);
            Answer<?> answer = client.callBlocking(
                    broker.address,
                    Rpcs.HEART_BEAT,
                    NoHeader.NONE,
                    Json.write(TestBroker.consumer(clientId, group, ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T")),
                    Deadline.after(Clock.system(), 60_000));
            assertThat(answer.code()).as(answer.remarkText()).isZero();
        }

        void assertConnected() {
            assertThat(client.connection(broker.address)).isPresent();
        }

        @Override
        public void close() {
            client.close();
            loops.close();
        }
    }

    /** What 203 says of a group whose two members want other topics. */
    @Test
    void theConnectionsOfAGroupShowWhereItsMembersDisagree() throws Exception {
        HandlerTable none = HandlerTable.builder().build();
        broker.heartbeat("c1", "disagreeing", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T", "U");
        ConsumerGroupHeader header = new ConsumerGroupHeader("disagreeing");
        byte[] alone = ok(Rpcs.GET_CONSUMER_CONNECTION_LIST, header, new byte[0]);
        assertThat(new String(alone, StandardCharsets.UTF_8)).doesNotContain("subscriptionConflicts");
        try (Asked other = new Asked("c2", "disagreeing", none)) {
            other.assertConnected();
            ConsumerConnection shown =
                    Json.read(ok(Rpcs.GET_CONSUMER_CONNECTION_LIST, header, new byte[0]), ConsumerConnection.class);
            assertThat(shown.subscriptionConflicts()).isEqualTo(Map.of("U", Map.of("c1", "TAG *", "c2", "nothing")));
        }
    }

    @Test
    void aMessageToConsumeDirectlyIsPassedOnWholeAndSoIsTheAnswer() throws Exception {
        broker.send("Direct", 0, "before it");
        String id = TestBroker.messageId(broker.send("Direct", 0, "this one", "TAGS=a;"));
        CompletableFuture<byte[]> record = new CompletableFuture<>();
        CompletableFuture<ConsumeDirectlyHeader> header = new CompletableFuture<>();
        HandlerTable answers = HandlerTable.builder()
                .on(Rpcs.CONSUME_MESSAGE_DIRECTLY, (request, reply) -> {
                    record.complete(request.copyBody());
                    header.complete(request.header());
                    reply.ok(
                            NoHeader.NONE,
                            Payload.of("{\"consumeResult\":\"CR_LATER\"}".getBytes(StandardCharsets.UTF_8)));
                })
                .build();
        ConsumeDirectlyHeader asked = new ConsumeDirectlyHeader("direct", "d1", id, "broker-a", "Direct", null, null);
        try (Asked consumer = new Asked("d1", "direct", answers)) {
            consumer.assertConnected();
            assertThat(new String(ok(Rpcs.CONSUME_MESSAGE_DIRECTLY, asked, new byte[0]), StandardCharsets.UTF_8))
                    .isEqualTo("{\"consumeResult\":\"CR_LATER\"}");
        }
        assertThat(header.get(60, TimeUnit.SECONDS)).isEqualTo(asked);
        byte[] stored = broker.pull("g", "Direct", 0, 1).body();
        assertThat(record.get(60, TimeUnit.SECONDS)).as("the stored record").isEqualTo(stored);
    }

    @Test
    void aMessageThatIsNotThereIsNotPassedOn() throws Exception {
        HandlerTable none = HandlerTable.builder().build();
        try (Asked consumer = new Asked("d2", "direct2", none)) {
            consumer.assertConnected();
            for (String id : new String[] {"7F00000100002A9F0000000000FFFFFF", "no id", ""}) {
                Answer<?> answer = broker.call(
                        Rpcs.CONSUME_MESSAGE_DIRECTLY,
                        new ConsumeDirectlyHeader("direct2", "d2", id, "broker-a", "Direct", null, null),
                        null);
                BadInputBroker.assertRefused(answer, ResponseCode.SYSTEM_ERROR, "no message with the id '" + id + "'");
            }
        }
    }

    @Test
    void thePositionsOfAllMembersThatAnswerAreGathered() throws Exception {
        MessageQueue queue = new MessageQueue("T", "broker-a", 0);
        HandlerTable position = HandlerTable.builder()
                .on(
                        Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT,
                        (request, reply) -> reply.ok(
                                NoHeader.NONE,
                                Payload.of(Json.write(new ConsumerStatusBody(Map.of(queue, 42L), Map.of())))))
                .build();
        HandlerTable fails = HandlerTable.builder()
                .on(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, (request, reply) -> reply.fail(1, "no"))
                .build();
        try (Asked first = new Asked("s1", "asked", position);
                Asked second = new Asked("s2", "asked", fails)) {
            first.assertConnected();
            second.assertConnected();
            byte[] body = ok(
                    Rpcs.INVOKE_BROKER_TO_GET_CONSUMER_STATUS,
                    new ConsumerStatusHeader("T", "asked", null),
                    new byte[0]);
            assertThat(Json.read(body, ConsumerStatusBody.class).consumerTable())
                    .isEqualTo(Map.of("s1", Map.of(queue, 42L)));
        }
        Answer<?> nobody = broker.call(
                Rpcs.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, new ConsumerStatusHeader("T", "nobody", null), null);
        BadInputBroker.assertRefused(nobody, ResponseCode.SYSTEM_ERROR, "[nobody]");
    }
}
