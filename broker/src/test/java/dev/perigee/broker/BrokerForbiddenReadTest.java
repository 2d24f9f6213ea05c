package dev.perigee.broker;

import static dev.perigee.broker.BadInputBroker.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What broker, topic and group may forbid, by whose switch, and how a refused client is told. */
class BrokerForbiddenReadTest {
    private static final int BY_BROKER = 1;
    private static final int BY_GROUP = 2;
    private static final int BY_TOPIC = 3;
    private static final int BY_BROADCAST = 4;

    private BadInputBroker broker;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        broker = new BadInputBroker(folder, Map.of());
    }

    @AfterEach
    void stop() throws Exception {
        broker.close();
    }

    private void set(String line) throws Exception {
        Answer<?> answer = broker.call(Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, line.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private Answer<PullMessageResponse> pull(Rpc<PullMessageHeader, PullMessageResponse> rpc, String group)
            throws Exception {
        return broker.call(rpc, TestBroker.pullHeader(group, "T", 0, 0, 0), null);
    }

    private static void assertForbidden(Answer<PullMessageResponse> answer, int type, String... words) {
        assertRefused(answer, ResponseCode.NO_PERMISSION, words);
        assertThat(answer.require().forbiddenType()).isEqualTo(type);
    }

    @Test
    void aBrokerThatMayNotBeReadSaysSo() throws Exception {
        set("brokerPermission=2");
        long end = broker.broker.broker.logEndOffset();
        assertForbidden(pull(Rpcs.PULL_MESSAGE, "new_group"), BY_BROKER, "brokerPermission 2 forbids reading");
        assertForbidden(pull(Rpcs.PULL_MESSAGE, "TOOLS_CONSUMER"), BY_BROKER, "brokerPermission 2 forbids reading");
        assertThat(broker.broker.broker.logEndOffset()).as("no group was made").isEqualTo(end);

        set("brokerPermission=6");
        assertThat(TestBroker.bodies(pull(Rpcs.PULL_MESSAGE, "new_group"))).containsExactly("first");
    }

    @Test
    void litePullIsSwitchedOffAlone() throws Exception {
        set("litePullMessageEnable=false");
        assertForbidden(pull(Rpcs.LITE_PULL_MESSAGE, "new_group"), BY_BROKER, "litePullMessageEnable is false");
        assertThat(TestBroker.bodies(pull(Rpcs.PULL_MESSAGE, "new_group"))).containsExactly("first");

        set("litePullMessageEnable=true");
        assertThat(TestBroker.bodies(pull(Rpcs.LITE_PULL_MESSAGE, "new_group"))).containsExactly("first");
    }

    @Test
    void aGroupThatMayNotConsumeIsTold() throws Exception {
        putGroup("stopped", false, true);
        assertForbidden(pull(Rpcs.PULL_MESSAGE, "stopped"), BY_GROUP, "[stopped]", "consumeEnable is false");
    }

    @Test
    void aTopicThatMayNotBeReadIsNamedWithItsPermission() throws Exception {
        assertThat(broker.createTopic("T", 4, 4, 2).code()).isZero();
        assertForbidden(pull(Rpcs.PULL_MESSAGE, "new_group"), BY_TOPIC, "topic[T]", "perm -W-");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SCHEDULE_TOPIC_XXXX", "RMQ_SYS_TRANS_HALF_TOPIC", "rmq_sys_wheel_timer"})
    void whatWaitsInTopicsOfTheBrokerIsNotRead(String topic) throws Exception {
        assertForbidden(
                broker.call(Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", topic, 0, 0, 0), null),
                BY_TOPIC,
                "topic[" + topic + "]",
                "kept by brokers for themselves");
    }

    @Test
    void aGroupThatMayNotBroadcastIsTold() throws Exception {
        putGroup("quiet", true, false);
        heartbeat("quiet", MessageModel.BROADCASTING, 1);
        assertForbidden(
                broker.call(Rpcs.PULL_MESSAGE, withoutSubscription("quiet", 1), null),
                BY_BROADCAST,
                "[quiet]",
                "consumeBroadcastEnable is false");

        heartbeat("loud", MessageModel.BROADCASTING, 1);
        assertThat(TestBroker.bodies(broker.call(Rpcs.PULL_MESSAGE, withoutSubscription("loud", 1), null)))
                .containsExactly("first");
    }

    @Test
    void aPullWithANewerSubscriptionThanTheHeartbeatIsRefusedWithBothVersions() throws Exception {
        heartbeat("versions", MessageModel.CLUSTERING, 7);
        assertRefused(
                broker.call(Rpcs.PULL_MESSAGE, withoutSubscription("versions", 8), null),
                ResponseCode.SUBSCRIPTION_NOT_LATEST,
                "known 7, asked 8");
        assertThat(broker.call(Rpcs.PULL_MESSAGE, withoutSubscription("versions", 7), null)
                        .code())
                .isZero();
    }

    @Test
    void aPullOfATopicTheGroupDidNotSubscribeIsRefused() throws Exception {
        heartbeat("others", MessageModel.CLUSTERING, 1);
        PullMessageHeader header =
                new PullMessageHeader("others", "ReadOnly", 0, 0, 32, 0, 0, 0, null, 1, null, 0, 0, null, null);
        assertRefused(
                broker.call(Rpcs.PULL_MESSAGE, header, null),
                ResponseCode.SUBSCRIPTION_NOT_EXIST,
                "group [others]",
                "topic [ReadOnly]");
    }

    @Test
    void anUnknownGroupIsRefusedWhereGroupsAreNotMadeByThemselves() throws Exception {
        set("autoCreateSubscriptionGroup=false");
        long end = broker.broker.broker.logEndOffset();
        assertRefused(
                pull(Rpcs.PULL_MESSAGE, "new_group"),
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                "[new_group]",
                "autoCreateSubscriptionGroup is false");
        assertThat(broker.broker.broker.logEndOffset()).isEqualTo(end);

        set("autoCreateSubscriptionGroup=true");
        assertThat(pull(Rpcs.PULL_MESSAGE, "new_group").code()).isZero();
    }

    @Test
    void aNewGroupMayBeginWithItsRetryTopic() throws Exception {
        Answer<?> answer =
                broker.call(Rpcs.PULL_MESSAGE, TestBroker.pullHeader("fresh", "%RETRY%fresh", 0, 0, 0), null);
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void withoutLongPollingAPullWaitsOnlyTheShortTime() throws Exception {
        set("longPollingEnable=false\nshortPollingTimeMills=1");
        Answer<?> answer = broker.call(
                Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", 0, 1, 60_000), null); // calls end at 30 s
        assertThat(answer.code()).as(answer.remarkText()).isEqualTo(ResponseCode.PULL_NOT_FOUND);
    }

    @Test
    void sendsAreTakenFromTheSetTimeOn() throws Exception {
        set("startAcceptSendRequestTimeStamp=9999999999999");
        assertRefused(
                broker.broker.send("T", 0, "early"),
                ResponseCode.SYSTEM_ERROR,
                "startAcceptSendRequestTimeStamp 9999999999999");
        assertRefused(broker.broker.send("New", 0, "early"), ResponseCode.SYSTEM_ERROR, "9999999999999");
        broker.assertNoTopic("New");

        set("startAcceptSendRequestTimeStamp=1");
        assertThat(broker.broker.send("T", 0, "in time").code()).isZero();
    }

    private void putGroup(String name, boolean consumes, boolean broadcasts) throws Exception {
        SubscriptionGroupConfig group = new SubscriptionGroupConfig(
                name, consumes, true, broadcasts, false, 1, 16, null, 0, 1, true, 0, 15, null, Map.of());
        broker.broker.putGroup(group);
    }

    private void heartbeat(String group, MessageModel model, long subVersion) throws Exception {
        ConsumerData consumer = new ConsumerData(
                group,
                ConsumeType.CONSUME_PASSIVELY,
                model,
                ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET,
                Set.of(SubscriptionData.ofTags("T", "*", subVersion)),
                false);
        Answer<?> answer = broker.call(
                Rpcs.HEART_BEAT,
                NoHeader.NONE,
                Json.write(new HeartbeatData("c-" + group, Set.of(), Set.of(consumer), 0, false)));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private static PullMessageHeader withoutSubscription(String group, long subVersion) {
        return new PullMessageHeader(group, "T", 0, 0, 32, 0, 0, 0, null, subVersion, null, 0, 0, null, null);
    }
}
