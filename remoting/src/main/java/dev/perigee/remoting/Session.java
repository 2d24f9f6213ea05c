package dev.perigee.remoting;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.frame.FrameHeader;
import dev.perigee.protocol.frame.MalformedFrameException;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.PendingCall;
import dev.perigee.remoting.call.PendingCalls;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.Payload;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One open connection: what it reads, what it writes, the calls that wait on it, and how it ends. */
@OwnedBy("event loop; the methods of Connection may be called by any thread")
final class Session implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final byte[] NO_BODY = {};

    private final Sessions sessions;
    private final Link link;
    private final LoopDesk desk;
    private final String remoteAddress;
    private final FrameIntake intake;
    private final FrameOutlet outlet;
    private final PendingCalls calls;
    private final List<Consumer<Connection>> closeListeners = new ArrayList<>();
    private final AtomicInteger unanswered = new AtomicInteger(); // replies come from any thread
    private final IdleWatch idle;
    private final long openedMs;
    private boolean paused;
    /** Paused by a handler, and not because the peer does not take its answers. */
    private boolean heldBack;

    private boolean leaving;
    private boolean closed;
    private @Nullable Peer peer;
    private volatile boolean closing;
    private volatile @Nullable String closeReason;

    Session(Sessions sessions, Link link) {
        this.sessions = sessions;
        this.link = link;
        this.desk = sessions.desk(link.loop().index());
        this.remoteAddress = textOf(link.remote());
        this.intake = new FrameIntake(this, sessions, desk);
        this.outlet = new FrameOutlet(sessions, link, desk);
        this.calls =
                new PendingCalls(sessions.limits().maxPendingCalls(), desk.wheel(), sessions.counters().timedOutCalls);
        this.idle = new IdleWatch(this, sessions, link, outlet);
        this.openedMs = sessions.clock().monotonicMs();
    }

    void opened() {
        if (sessions.admit(this)) {
            idle.start();
        } else {
            close("refused");
        }
    }

    /** Names the peer whose connection this is, on the calling side. */
    void belongTo(Peer owner) {
        peer = owner;
    }

    /** The peer whose connection this is; null on the accepting side. */
    @Nullable
    Peer peer() {
        return peer;
    }

    int received(ByteBuffer bytes) {
        int before = bytes.position();
        long nowMs = sessions.clock().monotonicMs();
        idle.moved(nowMs);
        outlet.burstStarted();
        try {
            return intake.take(bytes, nowMs);
        } catch (MalformedFrameException e) {
            sessions.counters().malformedFrames.increment();
            if (sessions.faults().mayLog()) {
                LOG.warn(
                        "event=malformed_frame side={} remote={} reason=\"{}\"",
                        sessions.side(),
                        remoteAddress,
                        e.getMessage());
            }
            bytes.position(bytes.limit());
            close("malformed frame: " + e.getMessage());
            return 0;
        } finally {
            sessions.counters().bytesIn.add(bytes.position() - before);
            if (sessions.isDeaf()) {
                link.pauseReading(); // what comes now is nobody's any more: it must not pile up here
            }
        }
    }

    void burstEnded() {
        outlet.burstEnded();
    }

    void writableAgain() {
        if (paused && !sessions.isDeaf()) {
            paused = false;
            readOn();
        }
    }

    private void readOn() {
        if (!paused && !heldBack) {
            link.resumeReading();
            burstEnded();
        }
    }

    void closed(String reason) {
        closing = true;
        closed = true;
        String known = closeReason;
        String why = known == null ? reason : known;
        closeReason = why;
        LOG.debug("event=connection_closed side={} remote={} reason=\"{}\"", sessions.side(), remoteAddress, why);
        calls.failAll(why);
        sessions.leave(this);
        for (Consumer<Connection> listener : closeListeners) {
            tell(listener);
        }
        closeListeners.clear();
    }

    /** Whether the connection has ended. */
    boolean isClosed() {
        return closed;
    }

    /** Whether another frame may be taken out of the bytes at hand. */
    boolean takesFrames() {
        return !paused && !heldBack && !closing && !sessions.isDeaf();
    }

    /** Back-pressure: a peer that does not take its answers is not read from, until its queue has sunk. */
    void relieve() {
        if (!link.isWritable()) {
            outlet.flush();
            if (!link.isWritable() && !paused) {
                paused = true;
                link.pauseReading();
            }
        }
    }

    void answered(FrameHeader frame, ByteBuffer view, int bodyAt, int bodyBytes) {
        PendingCall<?, ?> call = calls.take(frame.opaque());
        if (call == null) {
            sessions.counters().lateAnswers.increment();
            return;
        }
        boolean elsewhere = frame.code() == ResponseCode.GO_AWAY
                && call.takeGoingElsewhere()
                && sessions.goAwayListener().wentAway(this, call);
        if (!elsewhere) {
            byte[] body = bodyBytes == 0 ? NO_BODY : new byte[bodyBytes];
            view.get(bodyAt, body);
            call.answer(frame, body);
        }
        closeIfLeft();
    }

    FrameOutlet outlet() {
        return outlet;
    }

    /** Writes a reply now, or hands it to the loop when another thread gives it. */
    void send(Exchange<?, ?> reply) {
        if (desk.loop().inLoop()) {
            LoopDesk.write(reply);
        } else {
            desk.hand(reply);
        }
    }

    /** Starts a call; it fails at once when there is no place for it. Any thread. */
    void start(PendingCall<?, ?> call) {
        if (closing) {
            call.failClosed(reasonText());
        } else if (!calls.tryReserve()) {
            call.failTooMany(calls.limit() + " calls wait for an answer (limit maxPendingCalls)");
        } else if (desk.loop().inLoop()) {
            writeCall(call);
        } else {
            desk.hand(new LoopDesk.HandedCall(this, call));
        }
    }

    /** A request has come to its handler. */
    void countRequest() {
        unanswered.incrementAndGet();
    }

    /** Its reply was given. */
    void countAnswer() {
        unanswered.decrementAndGet();
    }

    /** Requests whose handlers have not replied yet. */
    int unanswered() {
        return unanswered.get();
    }

    /** Whether the line about one more request that failed here is written. */
    boolean mayLogFailure() {
        return sessions.failures().mayLog();
    }

    void dropOneway(@Nullable Payload body) {
        if (body != null) {
            body.release();
        }
        sessions.counters().droppedOneways.increment();
    }

    void countRepeatedReply() {
        sessions.counters().repeatedReplies.increment();
    }

    @Override
    public String remoteAddress() {
        return remoteAddress;
    }

    @Override
    public InetSocketAddress remote() {
        return link.remote();
    }

    @Override
    public InetSocketAddress local() {
        return link.local();
    }

    @Override
    public boolean isOpen() {
        return !closing;
    }

    @Override
    public boolean isWritable() {
        return !closing && link.isWritable();
    }

    @Override
    public <Q extends Record, R extends Record> CompletableFuture<Answer<R>> call(
            Rpc<Q, R> rpc, Q header, byte @Nullable [] body, Deadline deadline) {
        PendingCall<Q, R> call = new PendingCall<>(rpc, header, body, remoteAddress, deadline);
        start(call);
        return call.future();
    }

    @Override
    public <Q extends Record, R extends Record> void oneway(Rpc<Q, R> rpc, Q header, byte @Nullable [] body) {
        write(rpc, header, payloadOf(body));
    }

    @Override
    public <Q extends Record, R extends Record> void onewayLent(Rpc<Q, R> rpc, Q header, Payload body) {
        write(rpc, header, body);
    }

    private <Q extends Record, R extends Record> void write(Rpc<Q, R> rpc, Q header, @Nullable Payload body) {
        if (desk.loop().inLoop()) {
            writeOneway(rpc, header, body);
        } else {
            desk.hand(new LoopDesk.HandedOneway<>(this, rpc, header, body));
        }
    }

    @Override
    public void pauseReading() {
        heldBack = true;
        link.pauseReading();
    }

    @Override
    public void resumeReading() {
        if (heldBack) {
            heldBack = false;
            if (!sessions.isDeaf() && !closed) {
                readOn();
            }
        }
    }

    @Override
    public void onClose(Consumer<Connection> listener) {
        execute(() -> {
            if (closed) {
                tell(listener);
            } else {
                closeListeners.add(listener);
            }
        });
    }

    @Override
    public void execute(Runnable task) {
        if (desk.loop().inLoop()) {
            task.run();
        } else {
            desk.loop().execute(task);
        }
    }

    /** Runs the task on the event loop, after what that is doing now. Any thread. */
    void later(Runnable task) {
        desk.loop().execute(task);
    }

    @Override
    public int loopIndex() {
        return link.loop().index();
    }

    @Override
    public long openedMs() {
        return openedMs;
    }

    @Override
    public void close(String reason) {
        leave(reason);
        link.close();
    }

    /** Closes when all queued bytes are sent, at the latest after that time. */
    void closeWhenSent(String reason, long timeoutMs) {
        leave(reason);
        link.closeWhenSent(timeoutMs);
    }

    /** Closes when the last call under way has ended; no new one is started by whoever knows of it. */
    void closeWhenCallsEnd() {
        leaving = true;
        closeIfLeft();
    }

    @Override
    public String toString() {
        return sessions.side() + " connection " + remoteAddress;
    }

    private void leave(String reason) {
        if (closeReason == null) {
            closeReason = reason;
        }
        closing = true;
    }

    private void closeIfLeft() {
        if (leaving && calls.isEmpty()) {
            close("left for a new connection");
        }
    }

    <Q extends Record, R extends Record> void writeCall(PendingCall<Q, R> call) {
        if (closed) {
            calls.unreserve();
            call.failClosed(reasonText());
        } else if (call.future().isDone()) {
            calls.unreserve();
        } else if (outlet.isFull()) {
            calls.unreserve();
            call.failTooMany(link.queuedBytes() + " bytes wait to be sent (limit outboundLimitBytes="
                    + sessions.limits().outboundLimitBytes() + ")");
        } else {
            register(call);
        }
    }

    private <Q extends Record, R extends Record> void register(PendingCall<Q, R> call) {
        int opaque = calls.register(call);
        try {
            if (outlet.request(call.rpc(), call.header(), payloadOf(call.body()), opaque, FrameOutlet.Way.CALL)) {
                desk.planSweep(call.deadline().endMs());
            } else {
                calls.take(opaque);
                call.failTooLarge(call.bodyBytes(), sessions.limits().frameLimitBytes());
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            calls.take(opaque);
            call.fail(e);
        }
    }

    <Q extends Record, R extends Record> void writeOneway(Rpc<Q, R> rpc, Q header, @Nullable Payload body) {
        if (closing || outlet.isFull()) {
            dropOneway(body);
            return;
        }
        boolean written = false;
        try {
            written = outlet.request(rpc, header, body, 0, FrameOutlet.Way.ONEWAY);
        } finally {
            if (!written) {
                dropOneway(null); // its body is released
            }
        }
    }

    private static @Nullable Payload payloadOf(byte @Nullable [] body) {
        return body == null ? null : Payload.of(body);
    }

    private void tell(Consumer<Connection> listener) {
        try {
            listener.accept(this);
        } catch (RuntimeException e) {
            LOG.error("event=close_listener_failed remote={}", remoteAddress, e);
        }
    }

    private String reasonText() {
        String reason = closeReason;
        return reason == null ? "closed" : reason;
    }

    private static String textOf(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        return (ip == null ? address.getHostString() : ip.getHostAddress()) + ":" + address.getPort();
    }
}
