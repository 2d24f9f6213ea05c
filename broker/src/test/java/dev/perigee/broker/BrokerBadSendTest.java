package dev.perigee.broker;

import static dev.perigee.broker.BadInputBroker.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

/**
 * Every refusal of a send has its code and a text that names field, value and limit; the connection stays, the log does
 * not grow, and a topic that was not there is not there afterwards either.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokerBadSendTest {
    private static final byte[] BODY = "hello".getBytes(StandardCharsets.UTF_8);
    private static final String UNKNOWN = "Unknown";
    private static final String RETRY = "%RETRY%TOOLS_CONSUMER";
    private static final String DEAD = "%DLQ%TOOLS_CONSUMER";

    private BadInputBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = new BadInputBroker(folder, Map.of("maxMessageSize", Integer.toString(BadInputBroker.MAX_BODY_BYTES)));
        assertThat(broker.createTopic("ReadTemplate", 2, 2, 5).code()).isZero();
        assertThat(broker.createTopic("EmptyTemplate", 2, 0, 7).code()).isZero();
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
    void nothingIsLeftBehind() throws Exception {
        broker.assertNothingWasStoredAndNobodyWasCutOff();
        for (String topic : List.of(UNKNOWN, RETRY, DEAD)) {
            broker.assertNoTopic(topic);
        }
    }

    private Answer<SendMessageResponse> send(SendMessageHeader header, byte[] body) throws Exception {
        return broker.call(header.batch() ? Rpcs.SEND_BATCH_MESSAGE : Rpcs.SEND_MESSAGE_V2, header, body);
    }

    /** A header whose fields are all in order, for one thing to be wrong in each test. */
    private record Wanted(
            String topic,
            String template,
            int templateQueues,
            int queueId,
            int sysFlag,
            String properties,
            int reconsumeTimes,
            boolean batch) {
        static Wanted to(String topic) {
            return new Wanted(topic, "TBW102", 4, 0, 0, "", 0, false);
        }

        Wanted by(String otherTemplate, int queues) {
            return new Wanted(topic, otherTemplate, queues, queueId, sysFlag, properties, reconsumeTimes, batch);
        }

        Wanted queue(int id) {
            return new Wanted(topic, template, templateQueues, id, sysFlag, properties, reconsumeTimes, batch);
        }

        Wanted flags(int flags) {
            return new Wanted(topic, template, templateQueues, queueId, flags, properties, reconsumeTimes, batch);
        }

        Wanted with(String pairs) {
            return new Wanted(topic, template, templateQueues, queueId, sysFlag, pairs, reconsumeTimes, batch);
        }

        Wanted tried(int times) {
            return new Wanted(topic, template, templateQueues, queueId, sysFlag, properties, times, batch);
        }

        Wanted asBatch() {
            return new Wanted(topic, template, templateQueues, queueId, sysFlag, properties, reconsumeTimes, true);
        }

        SendMessageHeader header() {
            PropertyText text =
                    PropertyText.of(properties.replace('=', '\u0001').replace(';', '\u0002'));
            return new SendMessageHeader(
                    "p",
                    topic,
                    template,
                    templateQueues,
                    queueId,
                    sysFlag,
                    0,
                    0,
                    text,
                    reconsumeTimes,
                    false,
                    -1,
                    batch,
                    null);
        }
    }

    private Answer<SendMessageResponse> send(Wanted wanted) throws Exception {
        return send(wanted.header(), BODY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/b", "a b", "a.b", "t\u0000", "..", "päth"})
    void anIllegalTopicNameIsRefusedWithTheAllowedPattern(String topic) throws Exception {
        assertRefused(
                send(Wanted.to(topic)),
                ResponseCode.INVALID_PARAMETER,
                "the topic[" + topic + "]",
                "allowing only ^[%|a-zA-Z0-9_-]+$");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aBlankTopicNameIsRefused(String topic) throws Exception {
        assertRefused(send(Wanted.to(topic)), ResponseCode.INVALID_PARAMETER, "the topic is blank");
    }

    @Test
    void aTopicNameOfMoreThan127CharactersIsRefused() throws Exception {
        assertRefused(
                send(Wanted.to("x".repeat(128))), ResponseCode.INVALID_PARAMETER, "has 128 characters, limit 127");
    }

    @ParameterizedTest
    @CsvSource({"NoSuchTemplate", "T"}) // T has no inherit bit
    void anUnknownTopicWithoutTemplateIsRefused(String template) throws Exception {
        assertRefused(
                send(Wanted.to(UNKNOWN).by(template, 4)),
                ResponseCode.TOPIC_NOT_EXIST,
                "topic[Unknown] not exist, apply first please!");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -5, Integer.MIN_VALUE})
    void aTopicWithoutQueuesIsNotMade(int queues) throws Exception {
        assertRefused(
                send(Wanted.to(UNKNOWN).by("TBW102", queues)),
                ResponseCode.INVALID_PARAMETER,
                "topic[Unknown]",
                "defaultTopicQueueNums " + queues + " is below 1");
    }

    @Test
    void aTopicIsNotMadeLikeOneThatHasNoQueues() throws Exception {
        assertRefused(
                send(Wanted.to(UNKNOWN).by("EmptyTemplate", 4)),
                ResponseCode.INVALID_PARAMETER,
                "topic[Unknown]",
                "defaultTopic[EmptyTemplate] has 0 write queues");
    }

    @Test
    void aTopicIsNotMadeLikeOneThatTakesNoMessages() throws Exception {
        assertRefused(
                send(Wanted.to(UNKNOWN).by("ReadTemplate", 4)), ResponseCode.NO_PERMISSION, "topic[Unknown]", "R--");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SCHEDULE_TOPIC_XXXX",
                "rmq_sys_wheel_timer",
                "RMQ_SYS_TRANS_HALF_TOPIC",
                "rmq_sys_perigee_facts",
                "SELF_TEST_TOPIC"
            })
    void topicsOfTheBrokerTakeNoMessages(String topic) throws Exception {
        assertRefused(send(Wanted.to(topic)), ResponseCode.NO_PERMISSION, topic);
    }

    @ParameterizedTest
    @CsvSource({"T, 4, 0 to 3", "T, 2147483647, 0 to 3", "Unknown, 99, 0 to 3", "%RETRY%TOOLS_CONSUMER, 1, 0 to 0"})
    void aQueueBeyondTheTopicIsRefused(String topic, int queueId, String range) throws Exception {
        assertRefused(
                send(Wanted.to(topic).queue(queueId)),
                ResponseCode.INVALID_PARAMETER,
                "queueId[" + queueId + "]",
                "topic[" + topic + "]",
                range);
    }

    @Test
    void aTopicWithoutWritePermissionIsRefused() throws Exception {
        assertRefused(send(Wanted.to("ReadOnly")), ResponseCode.NO_PERMISSION, "ReadOnly", "R--");
    }

    @ParameterizedTest
    @CsvSource({"T, false", "Unknown, false", "T, true", "Unknown, true"})
    void aBodyAboveTheLimitIsRefused(String topic, boolean batch) throws Exception {
        Wanted wanted = batch ? Wanted.to(topic).asBatch() : Wanted.to(topic);
        byte[] body = batch
                ? batch(new byte[20_000], new byte[20_000], new byte[20_000], new byte[6_000])
                : new byte[BadInputBroker.MAX_BODY_BYTES + 1];
        assertRefused(
                send(wanted.header(), body),
                ResponseCode.MESSAGE_ILLEGAL,
                "of " + body.length + " bytes, limit " + BadInputBroker.MAX_BODY_BYTES);
    }

    @ParameterizedTest
    @CsvSource({"T, 0", "Unknown, 0", "%RETRY%TOOLS_CONSUMER, 0", "%RETRY%TOOLS_CONSUMER, 17"})
    void propertiesAboveTheLimitAreRefused(String topic, int reconsumeTimes) throws Exception {
        Answer<?> answer = send(Wanted.to(topic).tried(reconsumeTimes).with("KEYS=" + "k".repeat(32_760) + ";"));
        assertRefused(answer, ResponseCode.MESSAGE_ILLEGAL, "properties", "limit 32767", "KEYS with 32760");
    }

    @ParameterizedTest
    @CsvSource({
        "8, 13",
        "12, 13",
        "4, 13",
        "64, 13",
        "128, 13",
        "1025, 13",
        "1536, 13",
        "1793, 13",
        "2048, 13",
        "-2147483648, 13"
    })
    void unsupportedFlagsAreRefused(int sysFlag, int code) throws Exception {
        assertRefused(send(Wanted.to("T").flags(sysFlag)), code, "sysFlag " + sysFlag);
        assertRefused(send(Wanted.to(UNKNOWN).flags(sysFlag)), code, "sysFlag " + sysFlag);
    }

    @ParameterizedTest
    @ValueSource(strings = {"T", UNKNOWN, RETRY})
    void aHalfWithoutItsGroupOrInABatchIsRefused(String topic) throws Exception {
        Wanted half = Wanted.to(topic).with("TRAN_MSG=true;");
        assertRefused(send(half), ResponseCode.MESSAGE_ILLEGAL, "PGROUP");
        if (!topic.equals(RETRY)) {
            assertRefused(send(half.asBatch().header(), batch(BODY, BODY)), ResponseCode.MESSAGE_ILLEGAL, "TRAN_MSG");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DELAY=x, 1 to 18",
        "DELAY=99999999999999999999, 1 to 18",
        "TIMER_DELAY_SEC=9223372036854775807, timerMaxDelaySec=2592000",
        "TIMER_DELAY_SEC=9223372036854775808, timerMaxDelaySec=2592000",
        "TIMER_DELAY_SEC=2592001, from 0 to 2592000",
        "TIMER_DELAY_SEC=-1, from 0 to 2592000",
        "TIMER_DELAY_SEC=soon, from 0 to 2592000",
        "TIMER_DELAY_SEC=1.5, from 0 to 2592000",
        "TIMER_DELAY_MS=9223372036854775807, timerMaxDelaySec=2592000",
        "TIMER_DELAY_MS=2592000001, from 0 to 2592000000",
        "TIMER_DELAY_MS=-1, from 0 to 2592000000",
        "TIMER_DELIVER_MS=9223372036854775807, timerMaxDelaySec=2592000",
        "TIMER_DELIVER_MS=tomorrow, timerMaxDelaySec=2592000"
    })
    void aTimeThatIsNoneOrLiesTooFarAheadIsRefusedWithTheLimit(String property, String limit) throws Exception {
        for (String topic : List.of("T", UNKNOWN, RETRY)) {
            assertRefused(
                    send(Wanted.to(topic).with(property + ";")),
                    ResponseCode.MESSAGE_ILLEGAL,
                    "property " + property,
                    limit);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"DELAY=3", "DELAY=99", "DELAY=x", "TIMER_DELAY_SEC=5", "TIMER_DELAY_MS=0", "TIMER_DELIVER_MS=5"})
    void aBatchCannotBeDelayed(String property) throws Exception {
        String name = property.substring(0, property.indexOf('='));
        Message delayed = new Message("T", BODY, 0, Map.of(name, property.substring(name.length() + 1)));
        for (String topic : List.of("T", UNKNOWN)) {
            SendMessageHeader whole =
                    Wanted.to(topic).with(property + ";").asBatch().header();
            assertRefused(
                    send(whole, batch(BODY, BODY)),
                    ResponseCode.MESSAGE_ILLEGAL,
                    "property " + property + ": a batch entry cannot be delayed");
            SendMessageHeader header = Wanted.to(topic).asBatch().header();
            assertRefused(
                    send(header, BatchBody.encode(List.of(Message.of("T", BODY), delayed))),
                    ResponseCode.MESSAGE_ILLEGAL,
                    "batch entry 1: property " + property + ": a batch entry cannot be delayed");
        }
    }

    private static byte[] batch(byte[]... bodies) {
        return BatchBody.encode(
                List.of(bodies).stream().map(body -> Message.of("T", body)).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"T", UNKNOWN})
    void aBrokenBatchIsRefusedWhole(String topic) throws Exception {
        SendMessageHeader header = Wanted.to(topic).asBatch().header();
        assertRefused(send(header, new byte[] {0, 0, 0, 99, 1, 2}), ResponseCode.MESSAGE_ILLEGAL, "batch entry 0");
        assertRefused(send(header, new byte[0]), ResponseCode.MESSAGE_ILLEGAL, "the batch has no message");
        byte[] broken = batch(BODY, BODY);
        broken[broken.length - 1]++; // the second entry's properties do not fit into its size
        assertRefused(send(header, broken), ResponseCode.MESSAGE_ILLEGAL, "batch entry 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"T", UNKNOWN})
    void oneBadEntryRefusesTheWholeBatch(String topic) throws Exception {
        SendMessageHeader header = Wanted.to(topic).asBatch().header();
        Message fine = Message.of("T", BODY);
        Message large = new Message("T", BODY, 0, Map.of("KEYS", "k".repeat(32_740)));
        assertRefused(
                send(header, BatchBody.encode(List.of(fine, large))),
                ResponseCode.MESSAGE_ILLEGAL,
                "batch entry 1",
                "limit 32767",
                "KEYS with 32740");
        Message delayed = new Message("T", BODY, 0, Map.of("DELAY", "3"));
        assertRefused(
                send(header, BatchBody.encode(List.of(fine, fine, delayed))),
                ResponseCode.MESSAGE_ILLEGAL,
                "batch entry 2",
                "DELAY=3");
    }

    @Test
    void aBatchToARetryTopicIsRefused() throws Exception {
        assertRefused(send(Wanted.to(RETRY).asBatch()), ResponseCode.MESSAGE_ILLEGAL, "batch", "topic[" + RETRY + "]");
    }

    @Test
    void aRefusedSendStillCarriesRegionAndTraceSwitch() throws Exception {
        for (String topic : List.of("T", UNKNOWN)) {
            Answer<SendMessageResponse> answer = send(Wanted.to(topic).queue(9));
            assertThat(answer.header()).isNotNull();
            assertThat(answer.require().region()).isEqualTo("DefaultRegion");
            assertThat(answer.require().traceOn()).isEqualTo("true");
        }
    }

    @Test
    void aRetryTopicOfAnUnknownGroupIsRefused() throws Exception {
        assertRefused(
                send(Wanted.to("%RETRY%nobody")),
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                "group [nobody]",
                "topic[%RETRY%nobody]");
    }

    @Test
    void aOnewaySendThatIsRefusedIsNotAnswered() throws Exception {
        broker.connection.oneway(Rpcs.SEND_MESSAGE_V2, Wanted.to("../x").header(), BODY);
        Answer<?> next = broker.connection
                .call(Rpcs.GET_BROKER_CONFIG, NoHeader.NONE, null, Deadline.after(Clock.system(), 30_000))
                .get();
        assertThat(next.code()).isZero();
    }
}
