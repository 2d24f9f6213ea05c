package dev.perigee.broker.reply;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.send.CheckedSends;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.DueTime;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.timer.Wish;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.ReplyMessageHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyEdit;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Answers SEND_REPLY_MESSAGE (324) and SEND_REPLY_MESSAGE_V2 (325): checks the reply as any send, pushes it to the client
 * that waits for it (326), and stores it once that client has it. A reply that reaches nobody is not stored
 * (broker-client §8).
 */
@ThreadSafe
public final class ReplyHandler implements RequestHandler<SendMessageHeader, SendMessageResponse> {
    /** How long a requester may take to say that it has the reply. */
    static final long PUSH_MS = 10_000;

    /** Bytes of the replies on their way to requesters, bodies and properties, together; one more is refused with code 2. */
    static final long MAX_PUSHED_BYTES = 64L << 20;

    /** Of these, those on their way to one requester; one more is refused with code 2. */
    static final long MAX_PUSHED_BYTES_PER_CLIENT = 16L << 20;

    /** What makes a message wait for a time; there is nothing to wait for in a reply. */
    private final ClientRegistry clients;

    private final CheckedSends sends;
    private final DueTimes times;
    private final BrokerIdentity identity;
    private final BrokerStats stats;
    private final Clock clock;
    private final boolean storing;
    private final PushedBytes pushedBytes = new PushedBytes(MAX_PUSHED_BYTES, MAX_PUSHED_BYTES_PER_CLIENT);

    /** @param storing whether a reply that was pushed is stored too */
    public ReplyHandler(
            ClientRegistry clients,
            CheckedSends sends,
            DueTimes times,
            BrokerIdentity identity,
            BrokerStats stats,
            Clock clock,
            boolean storing) {
        this.clients = clients;
        this.sends = sends;
        this.times = times;
        this.identity = identity;
        this.stats = stats;
        this.clock = clock;
        this.storing = storing;
    }

    @Override
    public void handle(Request<SendMessageHeader> request, Reply<SendMessageResponse> reply) {
        PropertyText properties = propertiesOf(request.header());
        Refusal refusal = uncorrelated(request.header(), properties);
        if (refusal == null) {
            refusal = sends.check(request, reply);
        }
        if (refusal != null) {
            sends.refuse(refusal, reply);
            return;
        }
        String requester = Objects.requireNonNullElse(properties.get(PropertyKey.REPLY_TO_CLIENT), "");
        Connection to = requester.isEmpty() ? null : clients.producerOf(requester);
        if (to == null) {
            stats.replyWithoutRequester();
            sends.refuse(nobody(requester), reply);
            return;
        }
        push(request, reply, requester, to);
    }

    /** What is wrong with a reply as such. */
    private @Nullable Refusal uncorrelated(SendMessageHeader header, PropertyText properties) {
        String id = properties.get(PropertyKey.CORRELATION_ID);
        if (id == null || id.isEmpty()) {
            return new Refusal(
                    ResponseCode.MESSAGE_ILLEGAL,
                    "a reply needs the property " + PropertyKey.CORRELATION_ID + " of its request");
        }
        if (header.batch()) {
            return new Refusal(ResponseCode.MESSAGE_ILLEGAL, "batch=true: a reply is one message");
        }
        if ("true".equals(properties.get(PropertyKey.TRANSACTION_PREPARED))) {
            return new Refusal(
                    ResponseCode.MESSAGE_ILLEGAL,
                    "property " + PropertyKey.TRANSACTION_PREPARED + "=true: a reply takes no part in a transaction");
        }
        if ((header.sysFlag() & SysFlag.TRANSACTION_MASK) != 0) {
            return new Refusal(
                    ResponseCode.MESSAGE_ILLEGAL,
                    "sysFlag=" + header.sysFlag() + ": a reply takes no part in a transaction, its bits "
                            + SysFlag.TRANSACTION_MASK + " must be 0");
        }
        return delayed(Wish.of(properties));
    }

    /** A delay of 0 and a time that is past are none. */
    private @Nullable Refusal delayed(Wish wish) {
        DueTime due = times.of(wish);
        if (due instanceof DueTime.AtOnce) {
            return null;
        }
        return new Refusal(
                ResponseCode.MESSAGE_ILLEGAL,
                "property "
                        + (due instanceof DueTime.Bad bad
                                ? bad.remark()
                                : wish.asked() + ": a reply cannot wait for a time"));
    }

    private static Refusal nobody(String requester) {
        return new Refusal(
                ResponseCode.SYSTEM_ERROR,
                requester.isEmpty()
                        ? "the reply has no property " + PropertyKey.REPLY_TO_CLIENT + ", so nobody can be sent it"
                        : "push reply message fail, channel of <" + requester + "> not found.");
    }

    private void push(
            Request<SendMessageHeader> request, Reply<SendMessageResponse> reply, String requester, Connection to) {
        int bytes = request.body().remaining() + propertiesOf(request.header()).sizeBytes();
        String full = pushedBytes.take(requester, bytes);
        if (full != null) {
            sends.refuse(
                    new Refusal(
                            ResponseCode.SYSTEM_BUSY,
                            "[OVERLOAD]broker busy: a reply of " + bytes + " bytes cannot be pushed, " + full
                                    + ", try again"),
                    reply);
            return;
        }
        byte[] body = request.copyBody();
        CompletableFuture<?> unused = to.call(
                        Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT, header(request), body, Deadline.after(clock, PUSH_MS))
                .whenComplete((answer, failure) -> {
                    pushedBytes.give(requester, bytes);
                    reply.resume(() -> pushed(request, reply, body, problem(requester, answer, failure)));
                });
    }

    private ReplyMessageHeader header(Request<SendMessageHeader> request) {
        SendMessageHeader header = request.header();
        long nowMs = clock.wallMs();
        PropertyText properties = new PropertyEdit()
                .load(propertiesOf(header), PropertyKey.PUSH_REPLY_TIME)
                .put(PropertyKey.PUSH_REPLY_TIME, Long.toString(nowMs))
                .toText();
        return new ReplyMessageHeader(
                header.producerGroup(),
                header.topic(),
                header.defaultTopic(),
                header.defaultTopicQueueNums(),
                header.queueId(),
                header.sysFlag(),
                header.bornTimestamp(),
                header.flag(),
                properties.toString(),
                header.reconsumeTimes(),
                header.unitMode(),
                request.askedBy().remoteAddress(),
                identity.address(),
                nowMs);
    }

    /** Why the requester does not have the reply; null when it has. */
    private static @Nullable String problem(
            String requester, @Nullable Answer<NoHeader> answer, @Nullable Throwable failure) {
        if (answer != null) {
            return answer.isOk()
                    ? null
                    : "push reply message to <" + requester + "> fail: it answered " + answer.code() + " "
                            + answer.remarkText();
        }
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return "push reply message to <" + requester + "> fail: " + text(cause);
    }

    private static String text(@Nullable Throwable cause) {
        String message = cause == null ? null : cause.getMessage();
        return message == null ? String.valueOf(cause) : message;
    }

    /** On the event loop of the responder. */
    private void pushed(
            Request<SendMessageHeader> request,
            Reply<SendMessageResponse> reply,
            byte[] body,
            @Nullable String problem) {
        if (problem != null) {
            stats.replyWithoutRequester();
            sends.refuse(new Refusal(ResponseCode.SYSTEM_ERROR, problem), reply);
            return;
        }
        SendMessageResponse answer = sends.notStored(request.header().queueId());
        if (storing) {
            sends.store(request, new PushedReply(reply, answer), body);
        } else {
            reply.ok(answer);
        }
    }

    private static PropertyText propertiesOf(SendMessageHeader header) {
        PropertyText properties = header.properties();
        return properties == null ? PropertyText.EMPTY : properties;
    }
}
