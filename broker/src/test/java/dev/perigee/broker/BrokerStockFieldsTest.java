package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.header.broker.BrokerConsumeStatsHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
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
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What stock tools and clients say in a header counts, also where only one generation of them says it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerStockFieldsTest {
    private static final long CALL_MS = 30_000;

    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
        broker.send("T", 0, "first", "KEYS=k;UNIQ_KEY=AC11;TAGS=red;");
        broker.send("T", 0, "second");
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private void commit(String group, String topic, long offset) throws Exception {
        Answer<?> answer =
                broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader(group, topic, 0, offset), null);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private Answer<OffsetResponse> offset(String group, String topic) throws Exception {
        return broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, topic, 0, false), null);
    }

    @ParameterizedTest
    @CsvSource({
        "cleanOffset, true, false",
        "removeOffset, true, false",
        "cleanOffset, false, true",
        "removeOffset, false, true",
        "neither, true, true"
    })
    void aGroupIsDeletedWithItsOffsetsWhenToldSoInEitherWay(String field, boolean value, boolean stays)
            throws Exception {
        String group = "deleted-" + field + value;
        broker.createGroup(group);
        commit(group, "T", 1);
        assertThat(offset(group, "T").code()).isZero();
        try (RawPeer tool = new RawPeer(broker.address, Language.JAVA, PeerVersion.V4_9_8)) {
            String fields = "{\"groupName\":\"" + group + "\",\"" + field + "\":\"" + value + "\"}";
            tool.send(RequestCode.DELETE_SUBSCRIPTIONGROUP, fields, new byte[0]);
            assertThat(tool.await("\"code\":").header()).contains("\"code\":0,");
        }
        assertThat(offset(group, "T").code()).isEqualTo(stays ? ResponseCode.SUCCESS : ResponseCode.QUERY_NOT_FOUND);
    }

    private Answer<?> query(String key, @Nullable String indexType, @Nullable String lastKey) throws Exception {
        return broker.call(
                Rpcs.QUERY_MESSAGE,
                new QueryMessageHeader("T", key, 10, 0, Long.MAX_VALUE, false, indexType, lastKey),
                null);
    }

    @Test
    void aQueryByAnotherIndexIsRefusedAndNotAnsweredByKeys() throws Exception {
        assertThat(TestBroker.bodies(query("k", "K", ""))).containsExactly("first");
        assertThat(TestBroker.bodies(query("k", "", null))).containsExactly("first");
        assertThat(TestBroker.bodies(query("AC11", "U", null))).containsExactly("first");

        Answer<?> byTag = query("red", "T", null);
        assertThat(byTag.code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        assertThat(byTag.remarkText()).contains("indexType T");
        Answer<?> more = query("k", "K", "place");
        assertThat(more.code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        assertThat(more.remarkText()).contains("lastKey");
    }

    private RemotingClient member(EventLoops loops, String clientId, long at) throws Exception {
        RemotingClient member = new RemotingClient(ClientConfig.DEFAULT, loops, Clock.system());
        byte[] status = Json.write(new ConsumerStatusBody(Map.of(new MessageQueue("T", "broker-a", 0), at), Map.of()));
        member.onRequest(HandlerTable.builder()
                .on(
                        Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT,
                        (request, reply) -> reply.ok(NoHeader.NONE, Payload.of(status)))
                .build());
        byte[] heartbeat =
                Json.write(TestBroker.consumer(clientId, "asked", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T"));
        assertThat(member.callBlocking(
                                broker.address,
                                Rpcs.HEART_BEAT,
                                NoHeader.NONE,
                                heartbeat,
                                Deadline.after(Clock.system(), CALL_MS))
                        .code())
                .isZero();
        return member;
    }

    private Answer<NoHeader> status(@Nullable String clientId) throws Exception {
        return broker.call(
                Rpcs.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, new ConsumerStatusHeader("T", "asked", clientId), null);
    }

    @Test
    void oneMemberIsAskedWhereItIsWhenToldSo() throws Exception {
        try (EventLoops loops = EventLoops.start("members", 1);
                RemotingClient one = member(loops, "one", 1);
                RemotingClient other = member(loops, "other", 2)) {
            assertThat(Json.read(status(null).body(), ConsumerStatusBody.class).consumerTable())
                    .containsOnlyKeys("one", "other");
            assertThat(Json.read(status("").body(), ConsumerStatusBody.class).consumerTable())
                    .hasSize(2);
            assertThat(Json.read(status("other").body(), ConsumerStatusBody.class)
                            .consumerTable())
                    .containsOnlyKeys("other");
            Answer<NoHeader> nobody = status("nobody");
            assertThat(nobody.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(nobody.remarkText()).contains("<asked>", "<nobody>", "not online");
            assertThat(one).isNotSameAs(other);
        }
    }

    @Test
    void offsetsInTopicsThatAGroupDoesNotSubscribeToAreCopiedOnlyOffline() throws Exception {
        broker.send("Old", 0, "m");
        for (String group : new String[] {"from", "online", "offline"}) {
            broker.createGroup(group);
        }
        commit("from", "T", 1);
        commit("from", "Old", 1);
        broker.heartbeat("c", "from", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T");

        for (boolean offline : new boolean[] {false, true}) {
            String to = offline ? "offline" : "online";
            assertThat(broker.call(Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("from", to, null, offline), null)
                            .code())
                    .isZero();
            assertThat(offset(to, "T").require().offset()).isEqualTo(1);
            assertThat(offset(to, "Old").code())
                    .isEqualTo(offline ? ResponseCode.SUCCESS : ResponseCode.QUERY_NOT_FOUND);
        }
    }

    @Test
    void onlyOrderedTopicsAreShownWhenToldSo() throws Exception {
        CreateTopicHeader ordered =
                new CreateTopicHeader("Ordered", "TBW102", 1, 1, 6, "SINGLE_TAG", 0, true, null, null);
        assertThat(broker.call(Rpcs.UPDATE_AND_CREATE_TOPIC, ordered, null).code())
                .isZero();
        broker.createGroup("reader");
        commit("reader", "T", 0);
        commit("reader", "Ordered", 0);

        assertThat(consumeStats(false)).contains("\"topic\":\"Ordered\"", "\"topic\":\"T\"");
        assertThat(consumeStats(true)).contains("\"topic\":\"Ordered\"").doesNotContain("\"topic\":\"T\"");
    }

    private String consumeStats(boolean onlyOrdered) throws Exception {
        Answer<?> answer = broker.call(Rpcs.GET_BROKER_CONSUME_STATS, new BrokerConsumeStatsHeader(onlyOrdered), null);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return new String(answer.body(), StandardCharsets.UTF_8);
    }
}
