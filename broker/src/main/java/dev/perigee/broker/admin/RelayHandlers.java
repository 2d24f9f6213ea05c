package dev.perigee.broker.admin;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.Member;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.header.client.ConsumeDirectlyHeader;
import dev.perigee.protocol.header.client.ConsumerStatusHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.ConsumerStatusBody;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.ColdReaders;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Passes questions of tools on to a consumer and its answer back: 223, 307 and 309. */
@ThreadSafe
public final class RelayHandlers {
    /** How long a consumer may take. */
    static final long TIMEOUT_MS = 10_000;

    private final ClientRegistry clients;
    private final FrameLookup frames;
    private final ColdReaders coldReaders;
    private final Clock clock;

    public RelayHandlers(ClientRegistry clients, FrameLookup frames, ColdReaders coldReaders, Clock clock) {
        this.clients = clients;
        this.frames = frames;
        this.coldReaders = coldReaders;
        this.clock = clock;
    }

    /** 307: the state inside a consumer. */
    public void runningInfo(Request<RunningInfoHeader> request, Reply<NoHeader> reply) {
        RunningInfoHeader header = request.header();
        Member target = member(header.consumerGroup(), header.clientId(), reply);
        if (target != null) {
            relay(Rpcs.GET_CONSUMER_RUNNING_INFO, header, null, target, reply);
        }
    }

    /** 309: a consumer consumes one message now; the broker adds the message. */
    public void consumeDirectly(Request<ConsumeDirectlyHeader> request, Reply<NoHeader> reply) {
        ConsumeDirectlyHeader header = request.header();
        Member target = member(header.consumerGroup(), header.clientId(), reply);
        if (target != null) {
            ColdAnswer.give(coldReaders, reply, () -> sendMessage(header, target, reply));
        }
    }

    /**
     * 223: where the members of a group are in a topic, asked of each of them or, by client id, of one; those that do not
     * answer are left out.
     */
    public void consumerStatus(Request<ConsumerStatusHeader> request, Reply<NoHeader> reply) {
        ConsumerStatusHeader header = request.header();
        ConsumerGroup group = clients.consumers(header.group());
        if (group == null) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "No Any Consumer online in the consumer group: [" + header.group() + "]");
            return;
        }
        Map<String, Map<MessageQueue, Long>> table = new ConcurrentHashMap<>();
        String only = header.clientAddr() == null ? "" : header.clientAddr(); // tools put a client id here
        boolean all = only.isEmpty();
        if (!all && group.member(only) == null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "The Consumer <" + header.group() + "> <" + only + "> not online");
            return;
        }
        CompletableFuture<?>[] calls = group.members().stream()
                .filter(member -> all || member.clientId().equals(only))
                .map(member -> member.connection()
                        .call(Rpcs.GET_CONSUMER_STATUS_FROM_CLIENT, header, null, Deadline.after(clock, TIMEOUT_MS))
                        .handle((answer, failure) -> addStatus(table, member, answer)))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<?> unused = CompletableFuture.allOf(calls)
                .whenComplete((done, failure) -> reply.guard(
                        () -> reply.ok(NoHeader.NONE, Bodies.json(new ConsumerStatusBody(Map.of(), table)))));
    }

    private static boolean addStatus(
            Map<String, Map<MessageQueue, Long>> table, Member member, @Nullable Answer<NoHeader> answer) {
        if (answer == null || !answer.isOk()) {
            return false;
        }
        try {
            table.put(
                    member.clientId(),
                    Json.read(answer.body(), ConsumerStatusBody.class).messageQueueTable());
            return true;
        } catch (BadBodyException e) {
            return false; // its status cannot be read: it is left out
        }
    }

    private void sendMessage(ConsumeDirectlyHeader header, Member target, Reply<NoHeader> reply) {
        byte[] message = header.msgId() == null ? null : message(header.msgId());
        if (message == null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "no message with the id '" + header.msgId() + "' on this broker");
        } else {
            relay(Rpcs.CONSUME_MESSAGE_DIRECTLY, header, message, target, reply);
        }
    }

    private byte @Nullable [] message(String messageId) {
        SegmentLease lease;
        try {
            lease = frames.find(MessageId.parse(messageId).physicalOffset());
        } catch (IllegalArgumentException e) {
            return null; // no offset message id: nothing lies there
        }
        if (lease == null) {
            return null;
        }
        byte[] bytes = new byte[lease.sizeBytes()];
        lease.bytes().get(0, bytes);
        lease.release();
        return bytes;
    }

    private @Nullable Member member(String group, @Nullable String clientId, Reply<NoHeader> reply) {
        ConsumerGroup known = clients.consumers(group);
        Member target = known == null || clientId == null ? null : known.member(clientId);
        if (target == null) {
            reply.fail(ResponseCode.SYSTEM_ERROR, "The Consumer <" + group + "> <" + clientId + "> not online");
            return null;
        }
        if (target.version() < PeerVersion.V3_1_8_SNAPSHOT) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "The Consumer <" + clientId + "> Version <" + PeerVersion.describe(target.version())
                            + "> too low to finish, please upgrade it to V3_1_8_SNAPSHOT");
            return null;
        }
        return target;
    }

    private <Q extends Record> void relay(
            Rpc<Q, NoHeader> rpc, Q header, byte @Nullable [] body, Member target, Reply<NoHeader> reply) {
        CompletableFuture<?> unused = target.connection()
                .call(rpc, header, body, Deadline.after(clock, TIMEOUT_MS))
                .whenComplete((answer, failure) -> reply.guard(() -> pass(answer, failure, target, reply)));
    }

    private static void pass(
            @Nullable Answer<NoHeader> answer, @Nullable Throwable failure, Member target, Reply<NoHeader> reply) {
        if (answer != null) {
            reply.send(answer.code(), answer.remark(), NoHeader.NONE, Payload.of(answer.body()));
            return;
        }
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        int code = cause instanceof RemotingException.CallTimeout
                ? ResponseCode.CONSUME_MSG_TIMEOUT
                : ResponseCode.SYSTEM_ERROR;
        reply.fail(code, "consumer <" + target.clientId() + "> gave no answer: " + cause);
    }
}
