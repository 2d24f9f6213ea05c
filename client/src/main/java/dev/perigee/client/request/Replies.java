package dev.perigee.client.request;

import dev.perigee.client.codec.BodyCodec;
import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.ReplyMessageHeader;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.HandlerTable;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The requests that wait for their reply, by the id that ties the two together, and the replies brokers push (code 326). */
@ThreadSafe
public final class Replies {
    /** So many requests may wait at a time; further ones are refused. */
    public static final int MAX_WAITING = 65_536;

    private final Clock clock;
    private final BodyCodec bodies;
    private final Executor inflating;
    private final ConcurrentMap<String, CompletableFuture<Message>> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final LongAdder late = new LongAdder();

    /**
     * @param maxBodyBytes a reply whose body inflates beyond this fails its request
     * @param inflating runs what inflates a body; no event loop, except where one thread does everything
     */
    public Replies(Clock clock, int maxBodyBytes, Executor inflating) {
        this.clock = clock;
        this.bodies = new BodyCodec(maxBodyBytes);
        this.inflating = inflating;
    }

    /** Adds what answers brokers. */
    public void handle(HandlerTable.Builder table) {
        table.on(Rpcs.PUSH_REPLY_MESSAGE_TO_CLIENT, this::pushed);
    }

    /** How many requests wait for their reply now. */
    public int waiting() {
        return count.get();
    }

    /** Replies that came when nobody waited for them: too late, or a second one. They were dropped. */
    public long late() {
        return late.sum();
    }

    /** One more request waits; its future is completed with the reply, or the wait is given up by {@link #end}. */
    CompletableFuture<Message> begin(String correlationId, String topic, long remainingMs) throws BufferFullException {
        if (count.incrementAndGet() > MAX_WAITING) {
            count.decrementAndGet();
            throw new BufferFullException(
                    "too many requests wait for a reply limitRequests=" + MAX_WAITING,
                    FailureSite.untried(topic, remainingMs));
        }
        CompletableFuture<Message> reply = new CompletableFuture<>();
        waiting.put(correlationId, reply);
        return reply;
    }

    /** Nobody waits for this one any more. */
    void end(String correlationId) {
        @Nullable CompletableFuture<Message> ignored = take(correlationId);
    }

    private @Nullable CompletableFuture<Message> take(String correlationId) {
        CompletableFuture<Message> asked = waiting.remove(correlationId);
        if (asked != null) {
            count.decrementAndGet();
        }
        return asked;
    }

    /** The broker is told that the reply has come, whether somebody waits for it or not: it can do nothing more about it. */
    private void pushed(Request<ReplyMessageHeader> request, Reply<NoHeader> reply) {
        String text = request.header().properties();
        PropertyText properties = text == null ? PropertyText.EMPTY : PropertyText.of(text);
        String correlationId = properties.get(PropertyKey.CORRELATION_ID);
        CompletableFuture<Message> asked = correlationId == null ? null : take(correlationId);
        byte[] body = asked == null ? new byte[0] : request.copyBody();
        reply.ok(NoHeader.NONE);
        if (asked == null) {
            late.increment();
            return;
        }
        ReplyMessageHeader header = request.header();
        Map<String, String> all = new LinkedHashMap<>(properties.toMap());
        all.put(PropertyKey.ARRIVE_TIME, Long.toString(clock.wallMs()));
        if (!SysFlag.has(header.sysFlag(), SysFlag.COMPRESSED)) {
            asked.complete(new Message(header.topic(), body, header.flag(), all));
            return;
        }
        FailureSite site = new FailureSite(request.from().remoteAddress(), header.topic(), 1, 0);
        try {
            inflating.execute(() -> inflate(header, all, body, site, asked));
        } catch (RuntimeException | Error e) { // closed meanwhile, or no thread can be started
            asked.completeExceptionally(new ClosedException("a compressed reply could not be inflated", site, e));
        }
    }

    private void inflate(
            ReplyMessageHeader header,
            Map<String, String> properties,
            byte[] body,
            FailureSite site,
            CompletableFuture<Message> asked) {
        try {
            CompressionType type = CompressionType.of(header.sysFlag());
            if (type == null) {
                throw new MalformedAnswerException("a reply of unknown compression sysFlag=" + header.sysFlag(), site);
            }
            asked.complete(new Message(header.topic(), bodies.inflate(type, body, site), header.flag(), properties));
        } catch (ClientException | RuntimeException | Error e) { // a codec of the class path may fail in any way
            asked.completeExceptionally(e);
        }
    }
}
