package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.CreateTopicHeader;
import dev.perigee.protocol.header.topic.TopicConfigHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.call.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a master was told of goes on with the next one, which was told of nothing: three whole brokers of a group on one thread. */
final class KindsOverElectionsTest {
    private static final String RETRIES = "%RETRY%g";
    private static final String DEAD = "%DLQ%g";
    private static final int SECOND_MS = 1_000;

    private static void consume(SteppedMembers members, int index) throws Exception {
        byte[] body = Json.write(TestBroker.consumer("c", "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T"));
        Answer<?> answer = members.get(members.call(index, Rpcs.HEART_BEAT, NoHeader.NONE, body));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private static void sendBack(SteppedMembers members, int index, long offset) throws Exception {
        Answer<NoHeader> answer = members.get(members.call(
                index,
                Rpcs.CONSUMER_SEND_MSG_BACK,
                new SendBackHeader(offset, "g", 1, null, "T", false, 1, null),
                null));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    private static List<MessageExt> messages(SteppedMembers members, int index, String topic) throws Exception {
        Answer<?> answer = members.get(members.pull(index, topic, 0, 0));
        return answer.code() == ResponseCode.SUCCESS ? TestBroker.messages(answer) : List.of();
    }

    private static int nextMaster(SteppedMembers members, int former) throws Exception {
        members.kill(former);
        int next = members.master();
        members.start(former);
        members.until(() -> members.isLevel(former, next));
        return next;
    }

    @Test
    void whatCameBackComesAgainFromTheNextMasterAndIsADeadLetterAtTheOneAfterIt() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        members.createTopic(first, "T");
        consume(members, first);
        Answer<SendMessageResponse> sent = members.send(first, "T", "order");
        sendBack(members, first, MessageId.parse(TestBroker.messageId(sent)).physicalOffset());

        int second = nextMaster(members, first);
        assertThat(messages(members, second, RETRIES)).as("it waits").isEmpty();
        members.pass(2 * SECOND_MS);
        List<MessageExt> retries = messages(members, second, RETRIES);
        assertThat(retries).extracting(MessageExt::bodyText).containsExactly("order");
        assertThat(retries).extracting(MessageExt::reconsumeTimes).containsExactly(1);
        consume(members, second);
        sendBack(members, second, retries.get(0).physicalOffset());

        int third = nextMaster(members, second);
        members.pass(2 * SECOND_MS);
        assertThat(messages(members, third, RETRIES)).as("once").hasSize(1);
        assertThat(messages(members, third, DEAD))
                .extracting(MessageExt::bodyText)
                .containsExactly("order");
    }

    @Test
    void settingsOfTopicsAndGroupsAreThoseOfTheNextMasterAndAreChangedThere() throws Exception {
        SteppedMembers members = new SteppedMembers(3, Map.of());
        int first = members.master();
        set(members, first, 7, 4);

        int second = nextMaster(members, first);
        assertThat(queuesAndRetries(members, second)).containsExactly(7, 4);
        set(members, second, 9, 5);

        int third = nextMaster(members, second);
        assertThat(queuesAndRetries(members, third)).containsExactly(9, 5);
    }

    private static void set(SteppedMembers members, int index, int queues, int retries) throws Exception {
        Answer<?> topic = members.get(members.call(
                index,
                Rpcs.UPDATE_AND_CREATE_TOPIC,
                new CreateTopicHeader("S", "TBW102", queues, queues, 6, "SINGLE_TAG", 0, false, null, null),
                null));
        assertThat(topic.code()).as(topic.remarkText()).isZero();
        byte[] body = Json.write(SubscriptionGroupConfig.of("s").withRetryMaxTimes(retries));
        Answer<?> group =
                members.get(members.call(index, Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, body));
        assertThat(group.code()).as(group.remarkText()).isZero();
    }

    private static List<Integer> queuesAndRetries(SteppedMembers members, int index) throws Exception {
        byte[] topic = members.get(members.call(index, Rpcs.GET_TOPIC_CONFIG, new TopicConfigHeader("S", null), null))
                .body();
        byte[] group = members.get(members.call(index, Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, new GroupHeader("s"), null))
                .body();
        return List.of(
                Json.read(topic, TopicConfig.class).readQueueNums(),
                Json.read(group, SubscriptionGroupConfig.class).retryMaxTimes());
    }

    private static TransactionPeer.Half half(SteppedMembers members, int index, String key) throws Exception {
        return TransactionPeer.of(
                key,
                members.get(members.call(
                        index, Rpcs.SEND_MESSAGE_V2, TransactionPeer.sending("p", "T", key, ""), new byte[] {
                            'h', (byte) key.charAt(0)
                        })));
    }

    @Test
    void theNextMasterTakesDecisionsAboutHalvesOfTheOneBeforeAndAsksAboutTheOthers() throws Exception {
        SteppedMembers members =
                new SteppedMembers(3, Map.of("transactionTimeOut", "2000", "transactionCheckInterval", "1000"));
        List<CheckTransactionHeader> asked = new ArrayList<>();
        members.client.onRequest(HandlerTable.builder()
                .on(Rpcs.CHECK_TRANSACTION_STATE, (request, reply) -> asked.add(request.header()))
                .build());
        int first = members.master();
        members.createTopic(first, "T");
        TransactionPeer.Half decided = half(members, first, "d");
        TransactionPeer.Half open = half(members, first, "o");

        int second = nextMaster(members, first);
        assertThat(members.bodies(second, "T", 0)).as("nobody decided").isEmpty();
        Answer<NoHeader> committed = members.get(members.call(
                second,
                Rpcs.END_TRANSACTION,
                TransactionPeer.ending("p", decided, TransactionPeer.COMMIT, false),
                null));
        assertThat(committed.code()).as(committed.remarkText()).isZero();
        assertThat(members.bodies(second, "T", 0)).containsExactly("hd");

        assertThat(asked).as("it has nobody to ask").isEmpty();
        byte[] producer = Json.write(new HeartbeatData("p1", Set.of(new ProducerData("p")), Set.of(), 0, false));
        members.get(members.call(second, Rpcs.HEART_BEAT, NoHeader.NONE, producer));
        members.until(() -> !asked.isEmpty());
        assertThat(asked).extracting(CheckTransactionHeader::transactionId).containsOnly(open.key());
        CheckTransactionHeader question = asked.get(0);
        assertThat(question.commitLogOffset()).isEqualTo(open.commitLogOffset());
        Answer<NoHeader> answered = members.get(members.call(
                second, Rpcs.END_TRANSACTION, TransactionPeer.ending("p", open, TransactionPeer.COMMIT, true), null));
        assertThat(answered.code()).as(answered.remarkText()).isZero();
        assertThat(members.bodies(second, "T", 0)).containsExactly("hd", "ho");
    }
}
