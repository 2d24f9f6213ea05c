package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.offset.CloneOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
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
    private static final byte[] BODY = "hello".getBytes(StandardCharsets.UTF_8);

    private TestBroker broker;
    private Connection connection;
    private long logEnd;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new TestBroker(folder, Map.of("maxMessageSize", "65536"));
        assertThat(broker.send("T", 0, "first").code()).isZero();
        assertThat(createTopic("ReadOnly", 1, 4).code()).isZero();
        connection = broker.client.connection(broker.address).orElseThrow();
    }

    @AfterAll
    void stop() throws Exception {
        broker.close();
    }

    @BeforeEach
    void rememberTheLog() {
        logEnd = broker.broker.logEndOffset();
    }

    @AfterEach
    void nothingWasStoredAndNobodyWasCutOff() {
        assertThat(broker.broker.logEndOffset()).isEqualTo(logEnd);
        assertThat(connection.isOpen()).isTrue();
        assertThat(broker.client.connection(broker.address)).contains(connection);
    }

    private Answer<NoHeader> createTopic(String topic, int queues, int perm) throws Exception {
        return broker.call(
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader(topic, "TBW102", queues, queues, perm, "SINGLE_TAG", 0, false, null, null),
                null);
    }

    private Answer<SendMessageResponse> send(SendMessageHeader header, byte[] body) throws Exception {
        return broker.call(Rpcs.SEND_MESSAGE_V2, header, body);
    }

    private static void refused(Answer<?> answer, int code, String... words) {
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(code);
        assertThat(answer.remarkText()).contains(words);
    }

    private static SendMessageHeader with(String topic, int queueId, int sysFlag, String properties) {
        return new SendMessageHeader(
                "p",
                topic,
                "TBW102",
                4,
                queueId,
                sysFlag,
                0,
                0,
                PropertyText.of(properties.replace('=', '\u0001').replace(';', '\u0002')),
                0,
                false,
                -1,
                false,
                null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/b", "a b", "a.b", "t\u0000", "..", "päth", " "})
    void anIllegalTopicNameIsRefusedWithTheAllowedPattern(String topic) throws Exception {
        Answer<?> answer = send(with(topic, 0, 0, ""), BODY);
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.INVALID_PARAMETER);
    }

    @Test
    void aTopicNameOfMoreThan127CharactersIsRefused() throws Exception {
        refused(send(with("x".repeat(128), 0, 0, ""), BODY), ResponseCode.INVALID_PARAMETER, "128", "127");
    }

    @Test
    void anUnknownTopicWithoutTemplateIsRefused() throws Exception {
        SendMessageHeader header =
                new SendMessageHeader("p", "Unknown", "NoSuchTemplate", 4, 0, 0, 0, 0, null, 0, false, -1, false, null);
        refused(send(header, BODY), ResponseCode.TOPIC_NOT_EXIST, "topic[Unknown] not exist, apply first please!");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SCHEDULE_TOPIC_XXXX", "RMQ_SYS_TRANS_HALF_TOPIC", "rmq_sys_perigee_facts", "SELF_TEST_TOPIC"})
    void topicsOfTheBrokerTakeNoMessages(String topic) throws Exception {
        refused(send(with(topic, 0, 0, ""), BODY), ResponseCode.NO_PERMISSION, topic);
    }

    @Test
    void aQueueBeyondTheTopicIsRefused() throws Exception {
        refused(send(with("T", 4, 0, ""), BODY), ResponseCode.INVALID_PARAMETER, "queueId[4]", "0 to 3");
    }

    @Test
    void aTopicWithoutWritePermissionIsRefused() throws Exception {
        refused(send(with("ReadOnly", 0, 0, ""), BODY), ResponseCode.NO_PERMISSION, "ReadOnly", "R--");
    }

    @Test
    void aBodyAboveTheLimitIsRefused() throws Exception {
        refused(send(with("T", 0, 0, ""), new byte[65_537]), ResponseCode.MESSAGE_ILLEGAL, "65537", "65536");
    }

    @Test
    void propertiesAboveTheLimitAreRefused() throws Exception {
        Answer<?> answer = send(with("T", 0, 0, "KEYS=" + "k".repeat(32_760) + ";"), BODY);
        refused(answer, ResponseCode.MESSAGE_ILLEGAL, "properties", "32767", "KEYS with 32760");
    }

    @ParameterizedTest
    @CsvSource({"8, 16", "12, 16", "4, 16", "64, 13", "128, 13", "2048, 13", "-2147483648, 13"})
    void unsupportedFlagsAreRefused(int sysFlag, int code) throws Exception {
        refused(send(with("T", 0, sysFlag, ""), BODY), code, "sysFlag " + sysFlag);
    }

    @ParameterizedTest
    @CsvSource({
        "DELAY=3;, 13, DELAY=3",
        "DELAY=x;, 13, DELAY=x",
        "TIMER_DELAY_SEC=5;, 13, TIMER_DELAY_SEC",
        "TIMER_DELIVER_MS=5;, 13, TIMER_DELIVER_MS",
        "TRAN_MSG=true;, 16, TRAN_MSG"
    })
    void whatIsNotBuiltIsRefusedByName(String properties, int code, String word) throws Exception {
        refused(send(with("T", 0, 0, properties), BODY), code, word);
    }

    @Test
    void aBrokenBatchIsRefusedWhole() throws Exception {
        SendMessageHeader header =
                new SendMessageHeader("p", "T", "TBW102", 4, 0, 0, 0, 0, null, 0, false, -1, true, null);
        refused(
                broker.call(Rpcs.SEND_BATCH_MESSAGE, header, new byte[] {0, 0, 0, 99, 1, 2}),
                ResponseCode.MESSAGE_ILLEGAL,
                "batch entry 0");
        refused(broker.call(Rpcs.SEND_BATCH_MESSAGE, header, new byte[0]), ResponseCode.MESSAGE_ILLEGAL, "batch");
    }

    @Test
    void aRefusedSendStillCarriesRegionAndTraceSwitch() throws Exception {
        Answer<SendMessageResponse> answer = send(with("T", 9, 0, ""), BODY);
        assertThat(answer.header()).isNotNull();
        assertThat(answer.require().region()).isEqualTo("DefaultRegion");
        assertThat(answer.require().traceOn()).isEqualTo("true");
    }

    @Test
    void aRetryTopicOfAnUnknownGroupIsRefused() throws Exception {
        refused(send(with("%RETRY%nobody", 0, 0, ""), BODY), ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, "nobody");
    }

    @Test
    void aPullFromABadPlaceIsRefused() throws Exception {
        assertThat(broker.call(Rpcs.PULL_MESSAGE, pull("TOOLS_CONSUMER", "T", 4, "*", "TAG"), null)
                        .remarkText())
                .contains("queueId[4]")
                .contains("0 to 3");
        refused(
                broker.call(Rpcs.PULL_MESSAGE, pull("TOOLS_CONSUMER", "Nowhere", 0, "*", "TAG"), null),
                ResponseCode.TOPIC_NOT_EXIST,
                "Nowhere");
        refused(
                broker.call(Rpcs.PULL_MESSAGE, pull("TOOLS_CONSUMER", "T", 0, " || ", "TAG"), null),
                ResponseCode.SUBSCRIPTION_PARSE_FAILED,
                "no tag");
        refused(
                broker.call(Rpcs.PULL_MESSAGE, pull("TOOLS_CONSUMER", "T", 0, "a > 1", "XPATH"), null),
                ResponseCode.SYSTEM_ERROR,
                "XPATH");
        refused(
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
            refused(broker.call(rpc, header, null), ResponseCode.INVALID_PARAMETER, "sysFlag " + sysFlag, "23");
        }
    }

    private static PullMessageHeader pull(String group, String topic, int queueId, String expression, String type) {
        return new PullMessageHeader(group, topic, queueId, 0, 32, 4, 0, 0, expression, 0, type, 0, 0, null, null);
    }

    @Test
    void aPullWithoutHeartbeatOrSubscriptionIsRefused() throws Exception {
        PullMessageHeader header =
                new PullMessageHeader("TOOLS_CONSUMER", "T", 0, 0, 32, 0, 0, 0, null, 0, null, 0, 0, null, null);
        refused(broker.call(Rpcs.PULL_MESSAGE, header, null), ResponseCode.SUBSCRIPTION_NOT_EXIST, "TOOLS_CONSUMER");
    }

    @ParameterizedTest
    @CsvSource({"../x, 4, 6, 29", "TBW102, 4, 6, 29", "rmq_sys_x, 4, 6, 29", "Fine, -1, 6, 29", "Fine, 4, 8, 29"})
    void aTopicOfABadShapeIsNotCreated(String topic, int queues, int perm, int code) throws Exception {
        assertThat(createTopic(topic, queues, perm).code()).isEqualTo(code);
    }

    @Test
    void systemTopicsCannotBeDeleted() throws Exception {
        refused(
                broker.call(Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("BenchmarkTest"), null),
                ResponseCode.INVALID_PARAMETER,
                "BenchmarkTest");
    }

    @Test
    void aGroupOfABadNameOrNumberIsNotCreated() throws Exception {
        SubscriptionGroupConfig good = SubscriptionGroupConfig.of("g");
        SubscriptionGroupConfig bad = new SubscriptionGroupConfig(
                "g", true, true, true, false, 1, -2, null, 0, 1, true, 0, 15, null, good.attributes());
        refused(group(bad), ResponseCode.INVALID_PARAMETER, "retryMaxTimes -2");
        refused(group(SubscriptionGroupConfig.of("a/b")), ResponseCode.INVALID_PARAMETER, "a/b");
        refused(group(SubscriptionGroupConfig.of("g".repeat(121))), ResponseCode.INVALID_PARAMETER, "121", "120");
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
            refused(call(rpc, new byte[] {'{', 1, 2}), ResponseCode.SYSTEM_ERROR, "body is no");
            refused(call(rpc, null), ResponseCode.SYSTEM_ERROR, "body is no");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4, 100_000_000, Integer.MAX_VALUE})
    void anOffsetOfAQueueThatTheTopicHasNotIsRefused(int queueId) throws Exception {
        UpdateOffsetHeader header = new UpdateOffsetHeader("TOOLS_CONSUMER", "T", queueId, 0);

        refused(
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

        refused(call(Rpcs.HEART_BEAT, bytes), ResponseCode.SYSTEM_ERROR, "heartbeat has no");
        assertThat(call(Rpcs.HEART_BEAT, "{\"clientID\":\"c\"}".getBytes(StandardCharsets.UTF_8))
                        .code())
                .isZero();
    }

    @Test
    void aHeartbeatBeyondItsLimitsIsRefused() throws Exception {
        String[] topics = IntStream.range(0, 4_001).mapToObj(i -> "T" + i).toArray(String[]::new);
        refused(
                call(
                        Rpcs.HEART_BEAT,
                        Json.write(TestBroker.consumer("c", "g", ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET, topics))),
                ResponseCode.SYSTEM_ERROR,
                "4001 subscriptions",
                "limit 4000");
        Set<ProducerData> producers = IntStream.range(0, 1_001)
                .mapToObj(i -> new ProducerData("p" + i))
                .collect(Collectors.toSet());
        refused(
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
        refused(
                broker.call(
                        Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "nobody", "T", false), null),
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                "destGroup",
                "nobody");
        refused(
                broker.call(Rpcs.CLONE_GROUP_OFFSET, new CloneOffsetHeader("TOOLS_CONSUMER", "a/b", "T", false), null),
                ResponseCode.INVALID_PARAMETER,
                "destGroup",
                "a/b");
    }

    @Test
    void requestsOfLaterReleasesAreRefusedByName() throws Exception {
        refused(
                broker.call(Rpcs.GET_UNIT_TOPIC_LIST, NoHeader.NONE, null),
                ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                " request type 311 not supported");
        refused(
                broker.call(Rpcs.CONSUMER_SEND_MSG_BACK, new SendBackHeader(0, "g", 0, null, null, false, null), null),
                ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                "send-back");
    }

    @Test
    void pathsAndAddressesCannotBeChangedWhileRunning() throws Exception {
        Properties before = config();
        byte[] body = "storePathRootDir=/tmp/x\ntraceOn=false".getBytes(StandardCharsets.UTF_8);
        refused(
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

    @Test
    void aOnewaySendThatIsRefusedIsNotAnswered() throws Exception {
        connection.oneway(Rpcs.SEND_MESSAGE_V2, with("../x", 0, 0, ""), BODY);
        Answer<?> next = connection
                .call(Rpcs.GET_BROKER_CONFIG, NoHeader.NONE, null, Deadline.after(Clock.system(), 30_000))
                .get();
        assertThat(next.code()).isZero();
    }
}
