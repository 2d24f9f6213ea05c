package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.offset.MaxOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicSysFlag;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a group is set to by a tool (200) counts. Its other settings: BrokerNoticesTest, BrokerRetryTest. */
class BrokerGroupSettingsTest {
    private static final String RETRIES = "%RETRY%g";
    private static final int WITH_SUBSCRIPTION = 4;
    private static final int OFTEN = 60;

    private final SteppedBroker.TurnedClock clock = new SteppedBroker.TurnedClock();
    private SteppedBroker node;

    @BeforeEach
    void start() throws Exception {
        node = new SteppedBroker(new CrashingDisk(new Random(1)), clock, 1);
        node.run(node.createTopic("T", 1));
        assertThat(node.run(node.send("m")).code()).isZero();
    }

    private static SubscriptionGroupConfig group(boolean consumes, boolean broadcasts, int retryQueues) {
        return new SubscriptionGroupConfig(
                "g", consumes, true, broadcasts, false, retryQueues, 16, null, 0, 1, true, 0, 15, null, Map.of());
    }

    private TopicConfig retryTopic() throws Exception {
        Answer<NoHeader> answer =
                node.run(node.call(node.client, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(RETRIES, null), null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return Json.read(answer.body(), TopicConfig.class);
    }

    /** The queues of the retry topic in which messages are that came back from now on. */
    private Set<Integer> queuesOfRetries() throws Exception {
        long offset = MessageId.parse(TestBroker.messageId(node.run(node.send("again"))))
                .physicalOffset();
        long[] ends = new long[8];
        for (int queueId = 0; queueId < ends.length; queueId++) {
            ends[queueId] = end(queueId);
        }
        for (int i = 0; i < OFTEN; i++) {
            SendBackHeader header = new SendBackHeader(offset, "g", 1, null, "T", false, null, null);
            assertThat(node.run(node.call(node.client, Rpcs.CONSUMER_SEND_MSG_BACK, header, null))
                            .code())
                    .isZero();
        }
        clock.nowMs += 1_000;
        node.settle();
        Set<Integer> queues = new TreeSet<>();
        for (int queueId = 0; queueId < ends.length; queueId++) {
            if (end(queueId) > ends[queueId]) {
                queues.add(queueId);
            }
        }
        return queues;
    }

    private long end(int queueId) throws Exception {
        return node.run(node.call(node.client, Rpcs.GET_MAX_OFFSET, new MaxOffsetHeader(RETRIES, queueId, true), null))
                .require()
                .offset();
    }

    @Test
    void retriesAreSpreadOverAsManyQueuesAsTheGroupHas() throws Exception {
        node.putGroup(group(true, true, 3));
        assertThat(queuesOfRetries()).containsExactly(0, 1, 2);
        assertThat(retryTopic().readQueueNums()).isEqualTo(3);
    }

    @Test
    void theRetryTopicGetsMoreQueuesWhenTheGroupDoes() throws Exception {
        node.putGroup(group(true, true, 1));
        assertThat(queuesOfRetries()).containsExactly(0);
        node.putGroup(group(true, true, 4));
        assertThat(retryTopic().readQueueNums()).isEqualTo(4);
        assertThat(retryTopic().writeQueueNums()).isEqualTo(4);
        assertThat(queuesOfRetries()).containsExactly(0, 1, 2, 3);
    }

    /** Whichever of the two is decided first. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRetryTopicMadeWhileTheGroupGetsMoreQueuesHasThemAll(boolean isSentBackFirst) throws Exception {
        node.putGroup(group(true, true, 1));
        long offset = MessageId.parse(TestBroker.messageId(node.run(node.send("again"))))
                .physicalOffset();
        SendBackHeader header = new SendBackHeader(offset, "g", 1, null, "T", false, null, null);
        Supplier<CompletableFuture<Answer<NoHeader>>> sendBack =
                () -> node.call(node.newClient(), Rpcs.CONSUMER_SEND_MSG_BACK, header, null);
        Supplier<CompletableFuture<Answer<NoHeader>>> grow = () -> node.call(
                node.newClient(),
                Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,
                NoHeader.NONE,
                Json.write(group(true, true, 4)));
        CompletableFuture<Answer<NoHeader>> first = isSentBackFirst ? sendBack.get() : grow.get();
        CompletableFuture<Answer<NoHeader>> second = isSentBackFirst ? grow.get() : sendBack.get();
        node.stepNetworkOnly();
        assertThat(first).as("both wait for the views").isNotDone();
        assertThat(second).isNotDone();
        assertThat(node.run(first).code()).isZero();
        assertThat(node.run(second).code()).isZero();
        assertThat(retryTopic().readQueueNums()).isEqualTo(4);
        assertThat(retryTopic().writeQueueNums()).isEqualTo(4);
    }

    @Test
    void aPlainSendToARetryTopicThatIsNotThereMakesAsManyQueuesAsTheGroupWants() throws Exception {
        node.putGroup(group(true, true, 4));
        assertThat(node.sendWith(RETRIES, 3, "", "by a consumer that could not send back")
                        .code())
                .isZero();
        assertThat(retryTopic().readQueueNums()).isEqualTo(4);
        assertThat(retryTopic().writeQueueNums()).isEqualTo(4);
        assertThat(node.messages(RETRIES, 3)).hasSize(1);
        assertThat(queuesOfRetries()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void theRetryTopicOfAConsumerOfAUnitSaysSo() throws Exception {
        ConsumerData consumer = new ConsumerData(
                "g",
                ConsumeType.CONSUME_PASSIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", "*", 1)),
                true);
        byte[] body = Json.write(new HeartbeatData("c", Set.of(), Set.of(consumer), 0, false));
        assertThat(node.run(node.call(node.client, Rpcs.HEART_BEAT, NoHeader.NONE, body))
                        .code())
                .isZero();
        assertThat(retryTopic().topicSysFlag()).isEqualTo(TopicSysFlag.UNIT_SUBSCRIPTION);
    }

    @Test
    void aPlainSendToARetryTopicIsRefusedWhereTheGroupWantsNone() throws Exception {
        node.putGroup(group(true, true, 0));
        Answer<SendMessageResponse> refused = node.sendWith(RETRIES, 0, "", "nobody would read it");
        assertThat(refused.code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
        assertThat(refused.remarkText()).contains("topic[" + RETRIES + "]", "group [g]", "retryQueueNums 0");
        Answer<NoHeader> topic =
                node.run(node.call(node.client, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader(RETRIES, null), null));
        assertThat(topic.code()).isEqualTo(ResponseCode.TOPIC_NOT_EXIST);
    }

    @Test
    void theRetryTopicKeepsItsQueuesWhenTheGroupGetsFewer() throws Exception {
        node.putGroup(group(true, true, 4));
        assertThat(queuesOfRetries()).hasSize(4);
        node.putGroup(group(true, true, 2));
        assertThat(retryTopic().readQueueNums()).isEqualTo(4);
        assertThat(queuesOfRetries()).containsExactly(0, 1);
    }

    @Test
    void aRetryTopicThatWasMadeNarrowerByHandStaysSoUntilTheGroupWantsMore() throws Exception {
        node.putGroup(group(true, true, 4));
        assertThat(queuesOfRetries()).hasSize(4);
        node.run(node.createTopic(RETRIES, 2));
        node.putGroup(group(true, false, 4));
        assertThat(retryTopic().readQueueNums()).isEqualTo(2);
        assertThat(queuesOfRetries()).containsExactly(0, 1);
        node.putGroup(group(true, false, 5));
        assertThat(retryTopic().readQueueNums()).isEqualTo(5);
    }

    private Answer<PullMessageResponse> pull(int flags) throws Exception {
        String expression = flags == 0 ? null : "*";
        PullMessageHeader header = new PullMessageHeader(
                "g", "T", 0, 0, 32, flags, 0, 0, expression, 1, expression == null ? null : "TAG", 0, 0, null, null);
        return node.run(node.call(node.client, Rpcs.PULL_MESSAGE, header, null));
    }

    private void heartbeat(MessageModel model) throws Exception {
        ConsumerData consumer = new ConsumerData(
                "g",
                ConsumeType.CONSUME_PASSIVELY,
                model,
                ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", "*", 1)),
                false);
        byte[] body = Json.write(new HeartbeatData("c", Set.of(), Set.of(consumer), 0, false));
        assertThat(node.run(node.call(node.client, Rpcs.HEART_BEAT, NoHeader.NONE, body))
                        .code())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, WITH_SUBSCRIPTION})
    void aGroupConsumesWhenItMay(int flags) throws Exception {
        heartbeat(MessageModel.CLUSTERING);
        node.putGroup(group(false, true, 1));
        assertThat(pull(flags).code()).isEqualTo(ResponseCode.NO_PERMISSION);
        node.putGroup(group(true, true, 1));
        assertThat(TestBroker.bodies(pull(flags))).containsExactly("m");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, WITH_SUBSCRIPTION})
    void aGroupConsumesByBroadcastingWhenItMay(int flags) throws Exception {
        heartbeat(MessageModel.BROADCASTING);
        node.putGroup(group(true, false, 1));
        Answer<PullMessageResponse> refused = pull(flags);
        assertThat(refused.code()).isEqualTo(ResponseCode.NO_PERMISSION);
        assertThat(refused.remarkText()).contains("consumeBroadcastEnable is false");
        node.putGroup(group(true, true, 1));
        assertThat(TestBroker.bodies(pull(flags))).containsExactly("m");

        node.putGroup(group(true, false, 1));
        heartbeat(MessageModel.CLUSTERING);
        assertThat(TestBroker.bodies(pull(flags))).containsExactly("m");
    }
}
