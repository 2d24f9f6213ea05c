package dev.perigee.client.fake;

import dev.perigee.client.error.Completion;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.ProducerData;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.send.CheckTransactionHeader;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.header.send.RecallMessageHeader;
import dev.perigee.protocol.header.send.RecallMessageResponse;
import dev.perigee.protocol.header.send.ReplyMessageHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a fake broker does with producers besides storing what they send: transactions, replies, recalls. Every method locks. */
public final class FakeProducers {
    /** A half message as it would be asked about. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record HalfRecord(long queueOffset, long physicalOffset, String uniqueKey, byte[] frame) {}

    private static final long CALL_TIMEOUT_MS = 10_000;

    private final Clock clock;
    private final Map<String, Connection> clients = new HashMap<>();
    private final Map<String, Map<String, Connection>> groups = new HashMap<>();
    private final List<HalfRecord> halves = new ArrayList<>();
    private final List<EndTransactionHeader> decisions = new ArrayList<>();
    private final List<SendMessageHeader> replies = new ArrayList<>();
    private final List<RecallMessageHeader> recalls = new ArrayList<>();
    private int decisionCode;
    private int calls;
    private int recallCode;
    private @Nullable String recallOutcome;
    private @Nullable String handle;
    private @Nullable String traceOn = "true";

    FakeProducers(Clock clock) {
        this.clock = clock;
    }

    void register(HandlerTable.Builder table) {
        table.on(Rpcs.END_TRANSACTION, this::decide)
                .on(Rpcs.SEND_REPLY_MESSAGE_V2, this::reply)
                .on(Rpcs.RECALL_MESSAGE, this::recall);
    }

    synchronized void beat(HeartbeatData data, Connection from) {
        for (ProducerData producer : data.producerDataSet()) {
            clients.put(data.clientId(), from);
            Map<String, Connection> members = groups.computeIfAbsent(producer.groupName(), g -> new LinkedHashMap<>());
            if (members.put(data.clientId(), from) != from) {
                from.onClose(closed -> leave(producer.groupName(), data.clientId(), closed));
            }
        }
    }

    synchronized void goodbye(UnregisterClientHeader header, Connection from) {
        if (header.producerGroup() != null) {
            leave(header.producerGroup(), header.clientId(), from);
        }
    }

    private synchronized void leave(String group, String clientId, Connection connection) {
        groups.getOrDefault(group, Map.of()).remove(clientId, connection);
        clients.remove(clientId, connection);
    }

    /** Whether a producer of this group is connected. */
    public synchronized boolean isMember(String group) {
        return !groups.getOrDefault(group, Map.of()).isEmpty();
    }

    /** Forgets a client until its next heartbeat. */
    public synchronized void forget(String clientId) {
        clients.remove(clientId);
    }

    /** Breaks the connections of a group. */
    public synchronized void cut(String group) {
        List.copyOf(groups.getOrDefault(group, Map.of()).values()).forEach(member -> member.close("cut by the test"));
    }

    /** Whether a heartbeat of this client has come. */
    public synchronized boolean knows(String clientId) {
        return clients.containsKey(clientId);
    }

    /** Keeps a half message about to be stored, and gives its id. */
    synchronized String half(String address, FakeBroker.Sent sent, FakeLog log) {
        SendMessageHeader header = sent.header();
        PropertyText properties = header.properties() == null ? PropertyText.EMPTY : header.properties();
        long queueOffset = log.endOffset(SystemTopic.HALF, 0);
        byte[] frame = log.frame(
                header.topic(),
                header.queueId(),
                new FakeLog.Content(ByteBuffer.wrap(sent.body()), properties, header.flag(), header.sysFlag()),
                queueOffset);
        String key = properties.get(PropertyKey.UNIQ_KEY);
        halves.add(new HalfRecord(queueOffset, log.physicalEnd(), key == null ? "" : key, frame));
        int colon = address.lastIndexOf(':');
        return new MessageId(
                        new InetSocketAddress(
                                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
                        log.physicalEnd())
                .text();
    }

    public synchronized List<HalfRecord> halves() {
        return List.copyOf(halves);
    }

    /** The decisions that came, whatever the answer. */
    public synchronized List<EndTransactionHeader> decisions() {
        return List.copyOf(decisions);
    }

    /** How many of them asked for an answer. */
    public synchronized int calls() {
        return calls;
    }

    /** The code that answers decisions. */
    public synchronized void answerDecisions(int code) {
        this.decisionCode = code;
    }

    /** Asks a member of the group about a half message, as brokers do. */
    public synchronized void check(String group, HalfRecord half) {
        Connection member =
                groups.getOrDefault(group, Map.of()).values().iterator().next();
        member.oneway(
                Rpcs.CHECK_TRANSACTION_STATE,
                new CheckTransactionHeader(
                        SystemTopic.HALF,
                        half.queueOffset,
                        half.physicalOffset,
                        half.uniqueKey,
                        half.uniqueKey,
                        null,
                        "a"),
                half.frame);
    }

    /** The recall handle that answers to sends carry. */
    public synchronized void giveHandle(@Nullable String text) {
        this.handle = text;
    }

    synchronized @Nullable String handle() {
        return handle;
    }

    /** What answers to sends say about tracing. */
    public synchronized void say(@Nullable String traceIsOn) {
        this.traceOn = traceIsOn;
    }

    synchronized @Nullable String traceOn() {
        return traceOn;
    }

    public synchronized List<RecallMessageHeader> recalls() {
        return List.copyOf(recalls);
    }

    /** How recalls are answered. */
    public synchronized void answerRecalls(int code, @Nullable String outcome) {
        this.recallCode = code;
        this.recallOutcome = outcome;
    }

    /** Replies as they came, whatever became of them. */
    public synchronized List<SendMessageHeader> replies() {
        return List.copyOf(replies);
    }

    /** Pushes a reply to a client, as brokers do; gives its answer. */
    public synchronized CompletableFuture<Answer<NoHeader>> push(
            String clientId, Map<String, String> properties, int sysFlag, byte[] body) {
        Connection client = clients.get(clientId);
        if (client == null) {
            throw new IllegalStateException("no heartbeat of " + clientId);
        }
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.put(PropertyKey.PUSH_REPLY_TIME, Long.toString(clock.wallMs()));
        ReplyMessageHeader header = new ReplyMessageHeader(
                "p",
                "C_REPLY_TOPIC",
                SystemTopic.AUTO_CREATE,
                4,
                0,
                sysFlag,
                clock.wallMs(),
                0,
                PropertyText.of(all).toString(),
                0,
                false,
                "127.0.0.1:1",
                "127.0.0.1:2",
                clock.wallMs());
        return client.call(Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT, header, body, Deadline.after(clock, CALL_TIMEOUT_MS));
    }

    private synchronized void decide(Request<EndTransactionHeader> request, Reply<NoHeader> reply) {
        decisions.add(request.header());
        calls += request.oneway() ? 0 : 1;
        if (decisionCode == 0) {
            reply.ok(NoHeader.NONE);
        } else if (decisionCode != FakeBroker.SILENCE) {
            reply.fail(decisionCode, "scripted");
        }
    }

    private synchronized void recall(Request<RecallMessageHeader> request, Reply<RecallMessageResponse> reply) {
        recalls.add(request.header());
        reply.send(recallCode, null, new RecallMessageResponse("K", recallOutcome, null), null);
    }

    private synchronized void reply(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply) {
        SendMessageHeader header = request.header();
        replies.add(header);
        Map<String, String> properties =
                header.properties() == null ? Map.of() : header.properties().toMap();
        String clientId = properties.getOrDefault(PropertyKey.REPLY_TO_CLIENT, "");
        if (!clients.containsKey(clientId)) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "push reply message fail, channel of <" + clientId + "> not found.");
            return;
        }
        SendMessageResponse answer = new SendMessageResponse("0", header.queueId(), 0, null, null, null, null, null);
        Completion.on(
                push(clientId, properties, header.sysFlag(), request.copyBody()),
                (pushed, failure) -> reply.ok(answer));
    }
}
