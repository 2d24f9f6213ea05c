package dev.perigee.client.fake;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.ConsumerIdList;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.HeartbeatResponse;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.group.GroupHeader;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.remoting.transport.Transport;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores sent messages in memory, hands them out to pulls, and keeps groups and offsets. Every method locks. */
public final class FakeBroker implements AutoCloseable {
    /** One send request as it came. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Sent(SendMessageHeader header, int code, byte[] body) {}

    /** What to answer to a send: a code other than 0, or null to store it; {@link #SILENCE} for no answer. */
    public interface SendScript extends Function<Sent, @Nullable Integer> {}

    public static final int SILENCE = -1;

    private final String name;
    private final RemotingServer server;
    private final FakeLog log;
    private final FakeOffsets offsets;
    private final Map<String, Map<String, Connection>> members = new HashMap<>();
    private final FakeLocks locks;
    private final FakeProducers producers;
    private final List<SendBackHeader> sentBack = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final Deque<Reply<NoHeader>> heldSendBacks = new ArrayDeque<>();
    private Map<String, Integer> retryLimits = Map.of();
    private final List<Sent> sends = new ArrayList<>();
    private final Deque<Reply<SendMessageResponse>> held = new ArrayDeque<>();
    private SendScript script = sent -> null;
    private @Nullable String remark;
    private int sendBackCode = ResponseCode.SYSTEM_ERROR;
    private Runnable heartbeats = () -> {};
    private @Nullable Deque<Runnable> heldHeartbeats;

    public FakeBroker(String name, Transport transport, Clock clock) throws RemotingException {
        this.name = name;
        this.log = new FakeLog(name, transport, clock);
        this.locks = new FakeLocks(clock);
        HandlerTable.Builder table = HandlerTable.builder()
                .on(Rpcs.SEND_MESSAGE_V2, this::send)
                .on(Rpcs.SEND_BATCH_MESSAGE, this::send)
                .on(Rpcs.PULL_MESSAGE, log::pull)
                .on(Rpcs.LITE_PULL_MESSAGE, log::litePull)
                .on(Rpcs.HEART_BEAT, this::heartbeat)
                .on(Rpcs.UNREGISTER_CLIENT, this::unregister)
                .on(Rpcs.GET_CONSUMER_LIST_BY_GROUP, this::listMembers)
                .on(Rpcs.LOCK_BATCH_MQ, locks::lock)
                .on(Rpcs.UNLOCK_BATCH_MQ, this::unlock)
                .on(Rpcs.GET_SUBSCRIPTIONGROUP_CONFIG, this::groupConfig)
                .on(Rpcs.CONSUMER_SEND_MSG_BACK, this::sendBack);
        this.producers = new FakeProducers(clock);
        producers.register(table);
        this.offsets = new FakeOffsets(log, this::note);
        offsets.register(table);
        this.server = new RemotingServer(ServerConfig.of("127.0.0.1", 0), table.build(), transport, clock);
        server.start();
    }

    public String name() {
        return name;
    }

    public String address() {
        return "127.0.0.1:" + server.boundPort();
    }

    public FakeLog log() {
        return log;
    }

    /** The topic has that many queues here. */
    public void queues(String topic, int count) {
        log.queues(topic, count);
    }

    public synchronized void onSend(SendScript sendScript) {
        this.script = sendScript;
    }

    /** What refused sends are told; before, a text about their queue. */
    public synchronized void refuseSaying(String text) {
        this.remark = text;
    }

    /** Told of every heartbeat. */
    public synchronized void onHeartbeat(Runnable listener) {
        this.heartbeats = listener;
    }

    /** Neither minds nor answers heartbeats until {@link #answerHeldHeartbeats}. */
    public synchronized void holdHeartbeats() {
        heldHeartbeats = new ArrayDeque<>();
    }

    /** Minds and answers heartbeats, those that are held first. */
    public synchronized void answerHeldHeartbeats() {
        Deque<Runnable> held = Objects.requireNonNull(heldHeartbeats, "none are held");
        heldHeartbeats = null;
        held.forEach(Runnable::run);
    }

    /** To say what happens to transactions, replies and recalls. */
    public FakeProducers producers() {
        return producers;
    }

    public FakeLocks locks() {
        return locks;
    }

    /** Commits, unlocks and goodbyes in their order. */
    public synchronized List<String> events() {
        return List.copyOf(events);
    }

    /** The retries each group allows; a group without an entry is not known. */
    public synchronized void retryLimits(Map<String, Integer> byGroup) {
        this.retryLimits = byGroup;
    }

    /** Leaves questions for offsets without an answer from now on. */
    public void staySilentAboutOffsets() {
        offsets.answer(FakeOffsets.Question.STORED, SILENCE);
    }

    /** Answers every message sent back that was met with silence. */
    public synchronized void answerHeldSendBacks(int code) {
        while (!heldSendBacks.isEmpty()) {
            answer(heldSendBacks.removeFirst(), code);
        }
    }

    /** What was sent back, whatever the answer. */
    public synchronized List<SendBackHeader> sentBack() {
        return List.copyOf(sentBack);
    }

    /** The code that answers messages sent back; 0 takes them, {@link #SILENCE} leaves them waiting. */
    public synchronized void answerSendBack(int code) {
        this.sendBackCode = code;
    }

    public synchronized int sendBacks() {
        return sentBack.size();
    }

    public synchronized List<Sent> sends() {
        return List.copyOf(sends);
    }

    /** The positions stored, by {@code group@topic@queueId}. */
    public Map<String, Long> offsets() {
        return offsets.all();
    }

    /** To say what happens to questions about offsets. */
    public FakeOffsets positions() {
        return offsets;
    }

    public synchronized int memberCount(String group) {
        return members.getOrDefault(group, Map.of()).size();
    }

    /** The connection of one member, to send it requests as brokers do. */
    public synchronized Connection member(String group) {
        return members.getOrDefault(group, Map.of()).values().iterator().next();
    }

    /** Answers every send that was met with silence. */
    public synchronized void answerHeld(int code, String remark) {
        while (!held.isEmpty()) {
            held.removeFirst().fail(code, remark);
        }
    }

    /** Answers every send that was met with silence as if it were stored, but leaves the header out. */
    public synchronized void answerHeldWithoutHeader() {
        while (!held.isEmpty()) {
            held.removeFirst().send(ResponseCode.SUCCESS, null, null, null);
        }
    }

    private synchronized void send(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply) {
        SendMessageHeader header = request.header();
        Sent sent = new Sent(header, request.code(), request.copyBody());
        sends.add(sent);
        Integer code = script.apply(sent);
        if (code != null && code == SILENCE) {
            held.add(reply);
            return;
        }
        if (code != null && code != ResponseCode.FLUSH_DISK_TIMEOUT) {
            reply.fail(code, remark != null ? remark : "scripted, request queueId[" + header.queueId() + "]");
            return;
        }
        try {
            boolean isHalf = SysFlag.has(header.sysFlag(), SysFlag.TRANSACTION_PREPARED);
            String halfId = isHalf ? producers.half(address(), sent, log) : null;
            long first = store(sent);
            SendMessageResponse answer = new SendMessageResponse(
                    halfId != null ? halfId : ids(sent, first),
                    header.queueId(),
                    first,
                    key(sent),
                    null,
                    producers.handle(),
                    "R",
                    producers.traceOn());
            reply.send(code == null ? 0 : code, null, answer, null);
        } catch (MalformedMessageException e) {
            reply.fail(ResponseCode.MESSAGE_ILLEGAL, String.valueOf(e.getMessage()));
        }
    }

    private long store(Sent sent) throws MalformedMessageException {
        SendMessageHeader header = sent.header();
        if (!header.batch()) {
            PropertyText properties = header.properties();
            boolean isHalf = SysFlag.has(header.sysFlag(), SysFlag.TRANSACTION_PREPARED);
            return log.append(
                    isHalf ? SystemTopic.HALF : header.topic(),
                    isHalf ? 0 : header.queueId(),
                    new FakeLog.Content(
                            ByteBuffer.wrap(sent.body()),
                            properties == null ? PropertyText.EMPTY : properties,
                            header.flag(),
                            header.sysFlag()));
        }
        BatchBody batch = BatchBody.of(ByteBuffer.wrap(sent.body()));
        long first = -1;
        while (batch.next()) {
            long offset = log.append(
                    header.topic(),
                    header.queueId(),
                    new FakeLog.Content(batch.body(), batch.properties(), batch.flag(), 0));
            first = first < 0 ? offset : first;
        }
        return first;
    }

    private static @Nullable String key(Sent sent) {
        PropertyText properties = sent.header().properties();
        return properties == null ? null : properties.get(PropertyKey.UNIQ_KEY);
    }

    private static String ids(Sent sent, long first) throws MalformedMessageException {
        int count = sent.header().batch()
                ? BatchBody.of(ByteBuffer.wrap(sent.body())).count()
                : 1;
        StringBuilder ids = new StringBuilder();
        for (int i = 0; i < count; i++) {
            ids.append(i == 0 ? "" : ",").append("ID").append(first + i);
        }
        return ids.toString();
    }

    private synchronized void heartbeat(Request<NoHeader> request, Reply<HeartbeatResponse> reply) {
        heartbeats.run();
        byte[] body = request.copyBody();
        if (heldHeartbeats == null) {
            mind(request, body, reply);
        } else {
            heldHeartbeats.add(() -> mind(request, body, reply));
        }
    }

    private void mind(Request<NoHeader> request, byte[] body, Reply<HeartbeatResponse> reply) {
        try {
            HeartbeatData data = Json.read(body, HeartbeatData.class);
            producers.beat(data, request.from());
            for (ConsumerData consumer : data.consumerDataSet()) {
                join(consumer.groupName(), data.clientId(), request.from());
            }
            reply.ok(new HeartbeatResponse(true, true));
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
        }
    }

    private void join(String group, String clientId, Connection connection) {
        Map<String, Connection> others = members.computeIfAbsent(group, g -> new LinkedHashMap<>());
        if (others.put(clientId, connection) != connection) {
            connection.onClose(closed -> leave(group, clientId, closed));
            notifyMembers(group);
        }
    }

    private synchronized void leave(String group, String clientId, Connection connection) {
        if (members.computeIfAbsent(group, g -> new LinkedHashMap<>()).remove(clientId, connection)) {
            notifyMembers(group);
        }
    }

    private void notifyMembers(String group) {
        members.getOrDefault(group, Map.of())
                .values()
                .forEach(c -> c.oneway(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, new ConsumerGroupHeader(group), null));
    }

    private synchronized void unregister(Request<UnregisterClientHeader> request, Reply<NoHeader> reply) {
        String group = request.header().consumerGroup();
        events.add("goodbye");
        producers.goodbye(request.header(), request.from());
        if (group != null) {
            leave(group, request.header().clientId(), request.from());
        }
        reply.ok(NoHeader.NONE);
    }

    private synchronized void listMembers(Request<ConsumerGroupHeader> request, Reply<NoHeader> reply) {
        Map<String, Connection> group = members.getOrDefault(request.header().consumerGroup(), Map.of());
        if (group.isEmpty()) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "no consumer for this group");
        } else {
            reply.ok(NoHeader.NONE, Payload.of(Json.write(new ConsumerIdList(List.copyOf(group.keySet())))));
        }
    }

    private synchronized void note(String event) {
        events.add(event);
    }

    private synchronized void sendBack(Request<SendBackHeader> request, Reply<NoHeader> reply) {
        sentBack.add(request.header());
        if (sendBackCode == SILENCE) {
            heldSendBacks.add(reply);
        } else {
            answer(reply, sendBackCode);
        }
    }

    private static void answer(Reply<NoHeader> reply, int code) {
        if (code == 0) {
            reply.ok(NoHeader.NONE);
        } else {
            reply.fail(code, "send-back is not offered");
        }
    }

    private synchronized void unlock(Request<NoHeader> request, Reply<NoHeader> reply) {
        events.add("unlock");
        locks.unlock(request, reply);
    }

    private synchronized void groupConfig(Request<GroupHeader> request, Reply<NoHeader> reply) {
        String group = request.header().group();
        Integer limit = retryLimits.get(group);
        if (limit == null) {
            reply.fail(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, "no group " + group);
        } else {
            SubscriptionGroupConfig config = new SubscriptionGroupConfig(
                    group, true, true, true, false, 1, limit, null, 0, 1, true, 0, 15, null, Map.of());
            reply.ok(NoHeader.NONE, Payload.of(Json.write(config)));
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
