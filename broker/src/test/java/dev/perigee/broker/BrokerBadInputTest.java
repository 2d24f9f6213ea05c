package dev.perigee.broker;

import static dev.perigee.broker.BadInputBroker.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every refusal has its code and a text that names field, value and limit; the connection stays, the log does not grow. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerBadInputTest {
    private BadInputBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new BadInputBroker(folder, Map.of());
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    @BeforeEach
    void rememberTheLog() {
        broker.rememberTheLog();
    }

    @AfterEach
    void nothingWasStoredAndNobodyWasCutOff() {
        broker.assertNothingWasStoredAndNobodyWasCutOff();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "T; 4; *; TAG; 29; queueId[4] is illegal, topic[T] has 4 read queues (0 to 3)",
                "T; -1; *; TAG; 29; queueId[-1] is illegal, topic[T] has 4 read queues (0 to 3)",
                "Nowhere; 0; *; TAG; 17; topic[Nowhere] not exist",
                "T; 0; ||; TAG; 23; no tag",
                "T; 0; a > 1; XPATH; 1; XPATH"
            })
    void aPullFromABadPlaceIsRefused(String topic, int queueId, String expression, String type, int code, String text)
            throws Exception {
        for (String group : List.of("TOOLS_CONSUMER", "unknown_group")) { // which is not made for it
            assertRefused(
                    broker.call(Rpcs.PULL_MESSAGE, pull(group, topic, queueId, expression, type), null), code, text);
        }
        broker.assertNoTopic("%RETRY%unknown_group");
    }

    @Test
    void aPullOfAGroupOfABadNameIsRefused() throws Exception {
        assertRefused(
                broker.call(Rpcs.PULL_MESSAGE, pull("../group", "T", 0, "*", "TAG"), null),
                ResponseCode.INVALID_PARAMETER,
                "../group");
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 12, 32, 64, 1 << 30, Integer.MIN_VALUE, -1})
    void aPullWithFlagsThatCannotBeHonouredIsRefused(int sysFlag) throws Exception {
        PullMessageHeader header =
                new PullMessageHeader("TOOLS_CONSUMER", "T", 0, 0, 32, sysFlag, 0, 0, "*", 0, "TAG", 0, 0, null, null);
        for (Rpc<PullMessageHeader, ?> rpc : List.of(Rpcs.PULL_MESSAGE, Rpcs.LITE_PULL_MESSAGE)) {
            assertRefused(broker.call(rpc, header, null), ResponseCode.INVALID_PARAMETER, "sysFlag " + sysFlag, "23");
        }
    }

    private static PullMessageHeader pull(String group, String topic, int queueId, String expression, String type) {
        return new PullMessageHeader(group, topic, queueId, 0, 32, 4, 0, 0, expression, 0, type, 0, 0, null, null);
    }

    @Test
    void aPullWithoutHeartbeatOrSubscriptionIsRefused() throws Exception {
        PullMessageHeader header =
                new PullMessageHeader("TOOLS_CONSUMER", "T", 0, 0, 32, 0, 0, 0, null, 0, null, 0, 0, null, null);
        assertRefused(
                broker.call(Rpcs.PULL_MESSAGE, header, null), ResponseCode.SUBSCRIPTION_NOT_EXIST, "TOOLS_CONSUMER");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "../x; 4; 4; 6; the topic[../x] contains illegal characters",
                "TBW102; 4; 4; 6; topic[TBW102] is conflict with system topic",
                "rmq_sys_x; 4; 4; 6; topic[rmq_sys_x] is conflict with system topic",
                "Fine; -1; 4; 6; readQueueNums -1 is not between 0 and 16384",
                "Fine; 4; 16385; 6; writeQueueNums 16385 is not between 0 and 16384",
                "Fine; 0; 0; 6; readQueueNums 0 and writeQueueNums 0: topic[Fine] would have no queue",
                "Fine; 4; 4; 8; perm 8 is not between 0 and 7",
                "T; 0; 0; 6; topic[T] would have no queue"
            })
    void aTopicOfABadShapeIsNotMade(String topic, int readQueues, int writeQueues, int perm, String text)
            throws Exception {
        assertRefused(broker.createTopic(topic, readQueues, writeQueues, perm), ResponseCode.INVALID_PARAMETER, text);
    }

    @Test
    void aListWithATopicOfNoQueueIsRefusedWhole() throws Exception {
        byte[] body =
                "{\"topicConfigList\":[{\"topicName\":\"Fine\"},{\"topicName\":\"Bare\",\"readQueueNums\":0,\"writeQueueNums\":0}]}"
                        .getBytes(StandardCharsets.UTF_8);
        assertRefused(
                call(Rpcs.UPDATE_AND_CREATE_TOPIC_LIST, body),
                ResponseCode.INVALID_PARAMETER,
                "topic[Bare] would have");
        broker.assertNoTopic("Fine");
    }

    @Test
    void systemTopicsCannotBeDeleted() throws Exception {
        assertRefused(
                broker.call(Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("BenchmarkTest"), null),
                ResponseCode.INVALID_PARAMETER,
                "BenchmarkTest");
    }

    @Test
    void aGroupOfABadNameOrNumberIsNotCreated() throws Exception {
        SubscriptionGroupConfig good = SubscriptionGroupConfig.of("g");
        SubscriptionGroupConfig bad = new SubscriptionGroupConfig(
                "g", true, true, true, false, 1, -2, null, 0, 1, true, 0, 15, null, good.attributes());
        assertRefused(group(bad), ResponseCode.INVALID_PARAMETER, "retryMaxTimes -2");
        assertRefused(group(SubscriptionGroupConfig.of("a/b")), ResponseCode.INVALID_PARAMETER, "a/b");
        assertRefused(group(SubscriptionGroupConfig.of("g".repeat(121))), ResponseCode.INVALID_PARAMETER, "121", "120");
    }

    private Answer<?> group(SubscriptionGroupConfig config) throws Exception {
        return broker.call(Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, Json.write(config));
    }

    @Test
    void bodiesThatAreNoJsonAreRefused() throws Exception {
        List<Rpc<NoHeader, ? extends Record>> calls = List.of(
                Rpcs.HEART_BEAT,
                Rpcs.LOCK_BATCH_MQ,
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
                Rpcs.CHECK_CLIENT_CONFIG);
        for (Rpc<NoHeader, ? extends Record> rpc : calls) {
            assertRefused(call(rpc, new byte[] {'{', 1, 2}), ResponseCode.SYSTEM_ERROR, "body is no");
            assertRefused(call(rpc, null), ResponseCode.SYSTEM_ERROR, "body is no");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4, 100_000_000, Integer.MAX_VALUE})
    void anOffsetOfAQueueThatTheTopicHasNotIsRefused(int queueId) throws Exception {
        UpdateOffsetHeader header = new UpdateOffsetHeader("TOOLS_CONSUMER", "T", queueId, 0);

        assertRefused(
                broker.call(Rpcs.UPDATE_CONSUMER_OFFSET, header, null),
                ResponseCode.INVALID_PARAMETER,
                "queueId " + queueId,
                "0 and 3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'consumerDataSet':[{'groupName':'g','subscriptionDataSet':[]}]}",
                "{'clientID':'c','consumerDataSet':[{'groupName':'new_group','subscriptionDataSet':[{'subString':'*'}]}]}",
                "{'clientID':'c','consumerDataSet':[{'subscriptionDataSet':[]}]}",
                "{'clientID':'c','consumerDataSet':[null]}",
                "{'clientID':'c','producerDataSet':[{}]}"
            })
    void aHeartbeatThatLacksAMemberIsRefusedAndTheBrokerLivesOn(String body) throws Exception {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);

        assertRefused(call(Rpcs.HEART_BEAT, bytes), ResponseCode.SYSTEM_ERROR, "heartbeat has no");
        assertThat(call(Rpcs.HEART_BEAT, "{\"clientID\":\"c\"}".getBytes(StandardCharsets.UTF_8))
                        .code())
                .isZero();
    }

    @Test
    void aHeartbeatBeyondItsLimitsIsRefused() throws Exception {
        String[] topics = IntStream.range(0, 4_001).mapToObj(i -> "T" + i).toArray(String[]::new);
        assertRefused(
                call(
                        Rpcs.HEART_BEAT,
                        Json.write(TestBroker.consumer("c", "g", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, topics))),
                ResponseCode.SYSTEM_ERROR,
                "4001 subscriptions",
                "limit 4000");
        Set<ProducerData> producers = IntStream.range(0, 1_001)
                .mapToObj(i -> new ProducerData("p" + i))
                .collect(Collectors.toSet());
        assertRefused(
                call(Rpcs.HEART_BEAT, Json.write(new HeartbeatData("c", producers, Set.of(), 0, false))),
                ResponseCode.SYSTEM_ERROR,
                "1001 producers",
                "limit 1000");
    }

    private <R extends Record> Answer<R> call(Rpc<NoHeader, R> rpc, byte @Nullable [] body) throws Exception {
        return broker.call(rpc, NoHeader.NONE, body);
    }

    @Test
    void offsetsAreNotCopiedToAGroupThatIsNotThere() throws Exception {
        assertRefused(
                broker.call(
                        Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "nobody", "T", false), null),
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                "destGroup",
                "nobody");
        assertRefused(
                broker.call(Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "a/b", "T", false), null),
                ResponseCode.INVALID_PARAMETER,
                "destGroup",
                "a/b");
    }

    @Test
    void requestsOfLaterReleasesAreRefusedByName() throws Exception {
        assertRefused(
                broker.call(Rpcs.GET_UNIT_TOPIC_LIST, NoHeader.NONE, null),
                ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                " request type 311 not supported");
        assertRefused(
                broker.call(Rpcs.unread(RequestCode.POP_MESSAGE), NoHeader.NONE, null),
                ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                "pop consumption");
    }

    @Test
    void pathsAndAddressesCannotBeChangedWhileRunning() throws Exception {
        Properties before = config();
        byte[] body = "storePathRootDir=/tmp/x\ntraceOn=false".getBytes(StandardCharsets.UTF_8);
        assertRefused(
                broker.call(Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, body),
                ResponseCode.NO_PERMISSION,
                "storePathRootDir");
        assertThat(config()).isEqualTo(before);
    }

    private Properties config() throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(new String(
                broker.call(Rpcs.GET_BROKER_CONFIG, NoHeader.NONE, null).body(), StandardCharsets.UTF_8)));
        return properties;
    }
}
