package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A real broker on a temporary folder and a free port, with a client that speaks to it over a socket. */
final class TestBroker implements AutoCloseable {
    private static final long CALL_MS = 60_000;

    final Broker broker;
    final RemotingClient client;
    final String address;
    private final EventLoops loops = EventLoops.start("test-client", 1);

    TestBroker(Path folder, Map<String, String> settings) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("storePathRootDir", folder.toString());
        properties.setProperty("brokerIP1", "127.0.0.1");
        properties.setProperty("bindAddress", "127.0.0.1");
        properties.setProperty("listenPort", "0");
        properties.setProperty("mappedFileSizeCommitLog", Integer.toString(16 << 20));
        properties.setProperty("syncFlushTimeout", Long.toString(CALL_MS)); // disks of busy machines take seconds
        properties.setProperty("waitTimeMillsInSendQueue", Long.toString(CALL_MS));
        properties.putAll(settings);
        broker = new Broker(BrokerConfig.read(properties), Clock.system());
        broker.start();
        address = broker.address();
        client = new RemotingClient(ClientConfig.DEFAULT.withConnectTimeoutMs((int) CALL_MS), loops, Clock.system());
    }

    <Q extends Record, R extends Record> Answer<R> call(Rpc<Q, R> rpc, Q header, byte @Nullable [] body)
            throws Exception {
        return client.callBlocking(address, rpc, header, body, Deadline.after(Clock.system(), CALL_MS));
    }

    static SendMessageHeader sendHeader(String topic, int queueId, String properties) {
        return sendHeader(topic, queueId, properties, 0);
    }

    static SendMessageHeader sendHeader(String topic, int queueId, String properties, int sysFlag) {
        return new SendMessageHeader(
                "producers",
                topic,
                "TBW102",
                4,
                queueId,
                sysFlag,
                1_760_000_000_000L,
                7,
                PropertyText.of(properties.replace('=', '\u0001').replace(';', '\u0002')),
                0,
                false,
                -1,
                false,
                null);
    }

    Answer<SendMessageResponse> send(String topic, int queueId, String body, String properties) throws Exception {
        return call(
                Rpcs.SEND_MESSAGE_V2, sendHeader(topic, queueId, properties), body.getBytes(StandardCharsets.UTF_8));
    }

    Answer<SendMessageResponse> send(String topic, int queueId, String body) throws Exception {
        return send(topic, queueId, body, "");
    }

    static PullMessageHeader pullHeader(String group, String topic, int queueId, long offset, long suspendMs) {
        return new PullMessageHeader(
                group,
                topic,
                queueId,
                offset,
                32,
                4 | (suspendMs > 0 ? 2 : 0),
                0,
                suspendMs,
                "*",
                0,
                "TAG",
                0,
                0,
                null,
                null);
    }

    Answer<PullMessageResponse> pull(String group, String topic, int queueId, long offset) throws Exception {
        return call(Rpcs.PULL_MESSAGE, pullHeader(group, topic, queueId, offset, 2_000), null);
    }

    static List<String> bodies(Answer<?> answer) throws Exception {
        return messages(answer).stream()
                .map(message -> new String(message.body(), StandardCharsets.UTF_8))
                .toList();
    }

    static List<MessageExt> messages(Answer<?> answer) throws Exception {
        return MessageDecoder.decodeAll(ByteBuffer.wrap(answer.body()), "broker-a");
    }

    static String messageId(Answer<SendMessageResponse> sent) {
        return Objects.requireNonNull(sent.require().msgId(), "no message id: " + sent.remarkText());
    }

    static HeartbeatData consumer(String clientId, String group, ConsumeFromWhere where, String... topics) {
        Set<SubscriptionData> subscriptions = new LinkedHashSet<>();
        for (String topic : topics) {
            subscriptions.add(SubscriptionData.ofTags(topic, "*", 1));
        }
        ConsumerData consumer = new ConsumerData(
                group, ConsumeType.CONSUME_PASSIVELY, MessageModel.CLUSTERING, where, subscriptions, false);
        return new HeartbeatData(clientId, Set.of(), Set.of(consumer), 0, false);
    }

    /** Creates a group or changes it. */
    void putGroup(SubscriptionGroupConfig group) throws Exception {
        Answer<?> answer = call(Rpcs.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, NoHeader.NONE, Json.write(group));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
    }

    void createGroup(String group) throws Exception {
        putGroup(SubscriptionGroupConfig.of(group));
    }

    void heartbeat(String clientId, String group, ConsumeFromWhere where, String... topics) throws Exception {
        HeartbeatData data = consumer(clientId, group, where, topics);
        assertThat(call(Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(data)).code())
                .isZero();
    }

    @Override
    public void close() throws IOException {
        client.close();
        broker.close();
        loops.close();
    }
}
