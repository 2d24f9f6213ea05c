package dev.perigee.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.TestVectors;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.RegisterBrokerBody;
import dev.perigee.protocol.route.RegisterBrokerBodyCodec;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.stats.ConsumeStats;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicConfigTable;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyVectorsTest {
    private static <T> String legacyAgain(String vector, Class<T> type) throws Exception {
        return Json.writeText(Json.read(TestVectors.bytes(vector), type));
    }

    private static String vectorText(String vector) {
        return new String(TestVectors.bytes(vector), StandardCharsets.UTF_8);
    }

    @Test
    void writesARegistrationAsAStockBroker() throws Exception {
        assertThat(legacyAgain("09-register-broker-body-plain", RegisterBrokerBody.class))
                .isEqualTo(vectorText("09-register-broker-body-plain"));
    }

    @Test
    void readsTheSameRegistrationFromBothForms() throws Exception {
        RegisterBrokerBody plain =
                Json.read(TestVectors.bytes("09-register-broker-body-plain"), RegisterBrokerBody.class);
        RegisterBrokerBody compressed =
                RegisterBrokerBodyCodec.decode(TestVectors.bytes("10-register-broker-body-compressed"));
        assertThat(compressed.topicConfigSerializeWrapper().topicConfigTable())
                .isEqualTo(plain.topicConfigSerializeWrapper().topicConfigTable());
        assertThat(compressed.topicConfigSerializeWrapper().dataVersion())
                .isEqualTo(plain.topicConfigSerializeWrapper().dataVersion());
    }

    @Test
    void writesRoutesInBothDialectsAsAStockNameServer() throws Exception {
        for (String vector : new String[] {"11-route-response-standard", "12-route-response-legacy"}) {
            TopicRouteData route = Json.read(TestVectors.bytes(vector), TopicRouteData.class);
            assertThat(Json.writeText(route)).isEqualTo(vectorText("12-route-response-legacy"));
            assertThat(new String(Json.writeStandard(route), StandardCharsets.UTF_8))
                    .isEqualTo(vectorText("11-route-response-standard"));
            assertThat(route.brokerDatas().get(0).masterAddress()).isEqualTo("10.0.0.2:10911");
        }
    }

    @Test
    void writesAHeartbeatAsAStockClient() throws Exception {
        HeartbeatData read = Json.read(TestVectors.bytes("13-heartbeat-body"), HeartbeatData.class);
        assertThat(read.clientId()).isEqualTo("10.0.0.1@4242#123456789");
        assertThat(Json.read(Json.write(read), HeartbeatData.class)).isEqualTo(read);
        SubscriptionData tags = SubscriptionData.ofTags("DemoTopic", "TagA || TagB", 1760000000000L);
        assertThat(read.consumerDataSet().iterator().next().subscriptionDataSet())
                .contains(tags);
        assertThat(Json.writeText(tags))
                .isEqualTo("{\"classFilterMode\":false,\"codeSet\":[2598919,2598920],\"expressionType\":\"TAG\","
                        + "\"subString\":\"TagA || TagB\",\"subVersion\":1760000000000,\"tagsSet\":[\"TagA\",\"TagB\"],"
                        + "\"topic\":\"DemoTopic\"}");
    }

    @Test
    void writesObjectsAsMapKeys() throws Exception {
        assertThat(legacyAgain("24-consume-stats-body", ConsumeStats.class))
                .isEqualTo(vectorText("24-consume-stats-body"));
        ConsumeStats stats = Json.read(TestVectors.bytes("24-consume-stats-body"), ConsumeStats.class);
        assertThat(stats.offsetTable()).containsOnlyKeys(new MessageQueue("DemoTopic", "broker-a", 2));
    }

    @Test
    void fillsInDefaultsOfMissingMembers() throws Exception {
        assertThat(Json.read("{\"groupName\":\"g\"}", SubscriptionGroupConfig.class))
                .isEqualTo(SubscriptionGroupConfig.of("g"));
        assertThat(Json.read("{\"topicName\":\"t\"}", TopicConfig.class)).isEqualTo(TopicConfig.of("t", 16));
        assertThat(Json.read("{}", ClusterInfo.class).brokerAddrTable()).isEmpty();
        QueueLockRequest lock = Json.read(
                "{\"clientId\":\"c\",\"consumerGroup\":\"g\",\"mqSet\":[{\"brokerName\":\"b\",\"queueId\":1,\"topic\":\"t\"}]}",
                QueueLockRequest.class);
        assertThat(lock.mqSet()).isEqualTo(Set.of(new MessageQueue("t", "b", 1)));
    }

    @Test
    void writesAGroupAsAStockBroker() {
        assertThat(Json.writeText(SubscriptionGroupConfig.of("demo_consumer")))
                .isEqualTo("{\"attributes\":{},\"brokerId\":0,\"consumeBroadcastEnable\":true,\"consumeEnable\":true,"
                        + "\"consumeFromMinEnable\":true,\"consumeMessageOrderly\":false,\"consumeTimeoutMinute\":15,"
                        + "\"groupName\":\"demo_consumer\",\"groupRetryPolicy\":{\"type\":\"CUSTOMIZED\"},\"groupSysFlag\":0,"
                        + "\"notifyConsumerIdsChangedEnable\":true,\"retryMaxTimes\":16,\"retryQueueNums\":1,"
                        + "\"whichBrokerWhenConsumeSlowly\":1}");
    }

    @Test
    void escapesEverythingButAsciiInStandardJson() {
        assertThat(new String(Json.writeStandard(TopicConfig.of("标é", 1).topicName()), StandardCharsets.US_ASCII))
                .doesNotContain("?")
                .startsWith("\"\\u");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "null", "{", "[1]", "\"x\"", "{\"topicConfigTable\":7}", "{\"a\":1}}", "{\"dataVersion\":[}"
            })
    void answersBadBodiesWithTheDeclaredException(String body) {
        assertThatThrownBy(() -> Json.read(body, TopicConfigTable.class))
                .isInstanceOf(BadBodyException.class)
                .hasMessageStartingWith("body is no TopicConfigTable");
    }

    @Test
    void answersDamagedBodiesOnlyWithTheDeclaredException() {
        byte[] original = TestVectors.bytes("13-heartbeat-body");
        for (int seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            byte[] damaged = original.clone();
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                Json.read(damaged, HeartbeatData.class);
            } catch (BadBodyException e) {
                assertThat(e).hasMessageContaining("HeartbeatData");
            }
        }
    }

    @Test
    void makesNoObjectOfATypeNamedInTheText() throws Exception {
        assertThat(Json.read("{\"topicName\":\"t\",\"@type\":\"java.net.InetSocketAddress\"}", TopicConfig.class))
                .isEqualTo(TopicConfig.of("t", 16));
    }
}
