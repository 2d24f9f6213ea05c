package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
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

/** Resets of offsets by a tool (222) against a topic with four messages in queue 0. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerResetTest {
    private TestBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of());
        for (int i = 0; i < 4; i++) {
            broker.send("T", 0, "m" + i);
        }
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    private void createGroup(String group) throws Exception {
        byte[] body = Json.write(SubscriptionGroupConfig.of(group));
        assertThat(broker.call(Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, body)
                        .code())
                .isZero();
    }

    private Answer<NoHeader> reset(String topic, String group, long timestamp, int queueId, @Nullable Long offset)
            throws Exception {
        return broker.call(
                Rpcs.INVOKE_BROKER_TO_RESET_OFFSET,
                new ResetOffsetHeader(topic, group, timestamp, true, queueId, offset),
                null);
    }

    private long offsetOf(String group) throws Exception {
        return broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader(group, "T", 0, null), null)
                .require()
                .offset();
    }

    @Test
    void aGroupThatIsOfflineIsResetByTime() throws Exception {
        createGroup("offline");

        Answer<NoHeader> toEnd = reset("T", "offline", -1, -1, null);
        assertThat(toEnd.code()).as(toEnd.remarkText()).isZero();
        assertThat(new String(toEnd.body(), StandardCharsets.UTF_8))
                .contains("{\"brokerName\":\"broker-a\",\"queueId\":0,\"topic\":\"T\"}:4");
        assertThat(offsetOf("offline")).isEqualTo(4);

        assertThat(reset("T", "offline", 0, -1, null).code()).isZero();
        assertThat(offsetOf("offline")).isZero();
    }

    @Test
    void oneQueueIsResetToAnOffsetWithinItsEnds() throws Exception {
        createGroup("one");

        assertThat(reset("T", "one", 0, 0, 4L).code()).isZero();
        assertThat(offsetOf("one")).isEqualTo(4);
        assertThat(reset("T", "one", 0, 0, 2L).code()).isZero();
        assertThat(offsetOf("one")).isEqualTo(2);
        assertThat(reset("T", "one", -1, 0, -1L).code()).isZero();
        assertThat(offsetOf("one")).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({
        "Nowhere, refused, -1, -1, 17, Nowhere",
        "T, nobody, -1, -1, 26, nobody",
        "T, refused, 0, 5, 1, offset 5 is not between 0 and 4",
        "T, refused, 0, -2, 1, offset -2 is not between 0 and 4",
        "T, refused, 4, 0, 29, queueId 4 is not between 0 and 3",
        "T, refused, -2, 0, 29, queueId -2"
    })
    void aResetThatMeansNothingIsRefused(String topic, String group, int queueId, long offset, int code, String words)
            throws Exception {
        createGroup("refused");

        Answer<NoHeader> answer = reset(topic, group, 0, queueId, offset);

        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
        assertThat(broker.call(Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("refused", "T", 0, null), null)
                        .code())
                .isEqualTo(ResponseCode.QUERY_NOT_FOUND);
    }

    @Test
    void membersThatAreOnlineAreToldInTheFormTheirLanguageReads() throws Exception {
        assertThat(toldTo(Language.JAVA, "java"))
                .startsWith("{\"offsetTable\":{{\"brokerName\":\"broker-a\",\"queueId\":0,\"topic\":\"T\"}:0,");
        assertThat(toldTo(Language.CPP, "cpp"))
                .startsWith(
                        "{\"offsetTable\":[{\"brokerName\":\"broker-a\",\"offset\":0,\"queueId\":0,\"topic\":\"T\"},");
    }

    /** What a member of a group of its own is told when the group is reset. */
    private String toldTo(Language language, String group) throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, language, PeerVersion.V4_9_8)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat(group));
            consumer.await("IS_SUB_CHANGE");
            assertThat(reset("T", group, 0, -1, null).code()).isZero();
            return consumer.await("\"code\":220").body();
        }
    }

    private static byte[] heartbeat(String group) {
        return Json.write(TestBroker.consumer("c", group, ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, "T"));
    }

    @Test
    void aToolInCppHasEveryMemberToldInItsForm() throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, Language.CPP, PeerVersion.V4_9_8)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat("both"));
            consumer.await("IS_SUB_CHANGE");
            String fields = "{\"topic\":\"T\",\"group\":\"both\",\"timestamp\":\"0\",\"isForce\":\"true\"}";
            consumer.send(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, fields, new byte[0]);
            assertThat(consumer.await("\"code\":220").body()).startsWith("{\"offsetTable\":[");
        }
    }

    @Test
    void aMemberThatIsTooOldIsNamed() throws Exception {
        try (RawPeer consumer = new RawPeer(broker.address, Language.JAVA, PeerVersion.V3_0_7_SNAPSHOT - 1)) {
            consumer.send(RequestCode.HEART_BEAT, heartbeat("ancient"));
            consumer.await("IS_SUB_CHANGE");

            Answer<NoHeader> answer = reset("T", "ancient", 0, -1, null);
            assertThat(answer.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(answer.remarkText()).contains("<c>", "V27", "V3_0_7_SNAPSHOT");
            assertThat(offsetOf("ancient")).isEqualTo(4);

            Answer<NoHeader> info =
                    broker.call(Rpcs.GET_CONSUMER_RUNNING_INFO, new RunningInfoHeader("ancient", "c", false), null);
            assertThat(info.code()).isEqualTo(ResponseCode.SYSTEM_ERROR);
            assertThat(info.remarkText()).contains("Version <V27> too low");
            Answer<NoHeader> directly = broker.call(
                    Rpcs.CONSUME_MESSAGE_DIRECTLY,
                    new ConsumeDirectlyHeader("ancient", "c", "no-id", null, null, null, null),
                    null);
            assertThat(directly.remarkText()).contains("Version <V27> too low");
        }
    }
}
