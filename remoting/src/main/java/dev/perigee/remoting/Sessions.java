package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.remoting.call.PendingCall;
import dev.perigee.remoting.counter.RemotingCounters;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.Transport;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connections of one server or client, and what they share. */
@ThreadSafe
final class Sessions {
    /** Hears that a peer, going away, refused a call that may go over another connection. */
    interface GoAwayListener {
        /** On the session's event loop. The call is in no table any more. False leaves it to be answered with the refusal. */
        boolean wentAway(Session session, PendingCall<?, ?> call);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    /** Queued bytes of a closing connection get this long to leave. */
    private static final long LAST_BYTES_TIMEOUT_MS = 2_000;

    private static final long CLOSE_TIMEOUT_MS = 3_000;

    private final String side;
    private final ConnectionLimits limits;
    private final Clock clock;
    private final LoopDesk[] desks;
    private final Counters counters = new Counters();
    private final Set<Session> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger openCount = new AtomicInteger();
    private final CountDownLatch allClosed = new CountDownLatch(1);
    private final FaultLog faults;
    private final FaultLog failures;
    private int maxConnections = Integer.MAX_VALUE;
    private HeaderSerialization serialization = HeaderSerialization.JSON;
    private GoAwayListener goAwayListener = (session, call) -> false;
    private volatile HandlerTable handlers;
    private volatile ConnectionListener listener = ConnectionListener.NONE;
    private volatile boolean goingAway;
    private volatile boolean deaf;
    private volatile boolean closing;

    /** @param side {@code server} or {@code client}, for logs */
    Sessions(String side, ConnectionLimits limits, HandlerTable handlers, Transport transport, Clock clock) {
        this.side = side;
        this.limits = limits;
        this.handlers = handlers;
        this.clock = clock;
        this.faults = new FaultLog(side + "_peers", clock);
        this.failures = new FaultLog(side + "_handlers", clock);
        this.desks = new LoopDesk[transport.loopCount()];
        for (int i = 0; i < desks.length; i++) {
            desks[i] = new LoopDesk(transport.loop(i), clock);
        }
    }

    Sessions maxConnections(int max) {
        this.maxConnections = max;
        return this;
    }

    Sessions serialization(HeaderSerialization serialization) {
        this.serialization = serialization;
        return this;
    }

    Sessions onGoAway(GoAwayListener goAwayListener) {
        this.goAwayListener = goAwayListener;
        return this;
    }

    void handlers(HandlerTable handlers) {
        this.handlers = handlers;
    }

    void listener(ConnectionListener listener) {
        this.listener = listener;
    }

    void goAway() {
        goingAway = true;
    }

    String side() {
        return side;
    }

    ConnectionLimits limits() {
        return limits;
    }

    Clock clock() {
        return clock;
    }

    LoopDesk desk(int loopIndex) {
        return desks[loopIndex];
    }

    Counters counters() {
        return counters;
    }

    /** What peers do wrong, or leave undone. */
    FaultLog faults() {
        return faults;
    }

    /** What goes wrong on this side with requests that peers may repeat. */
    FaultLog failures() {
        return failures;
    }

    HandlerTable handlers() {
        return handlers;
    }

    HeaderSerialization serialization() {
        return serialization;
    }

    GoAwayListener goAwayListener() {
        return goAwayListener;
    }

    boolean isGoingAway() {
        return goingAway;
    }

    /** From the return of this on, no loop but the calling thread's takes another frame. Blocks a moment. */
    void stopTaking() {
        deaf = true;
        CountDownLatch noticed = new CountDownLatch(desks.length);
        for (LoopDesk desk : desks) {
            if (desk.loop().inLoop()) {
                noticed.countDown();
            } else {
                desk.loop().execute(noticed::countDown);
            }
        }
        await(noticed, "loops_not_reached");
    }

    /** Whether frames that arrive are left where they are. */
    boolean isDeaf() {
        return deaf;
    }

    /** Requests whose handlers have not replied yet, over connections that are open. */
    long unanswered() {
        long sum = 0;
        for (Session session : open) {
            sum += session.unanswered();
        }
        return sum;
    }

    boolean isClosing() {
        return closing;
    }

    RemotingCounters snapshot() {
        return counters.snapshot(openCount.get());
    }

    /**
     * Receives the events of one link and makes its session.
     *
     * @param opened told of the session once it is open
     */
    LinkEvents newReceiver(Consumer<Session> opened) {
        return newReceiver(() -> {}, opened);
    }

    /**
     * As above, on the side that connects.
     *
     * @param agreeing told when the peer is reached and TLS is being agreed on
     */
    LinkEvents newReceiver(Runnable agreeing, Consumer<Session> opened) {
        return new Receiver(agreeing, opened);
    }

    /** Takes in a connection that has just opened; false when it must be closed at once. */
    boolean admit(Session session) {
        if (closing) {
            return false;
        }
        if (openCount.incrementAndGet() > maxConnections) {
            openCount.decrementAndGet();
            counters.refusedConnections.increment();
            if (faults.mayLog()) {
                LOG.warn(
                        "event=connection_refused side={} remote={} reason=max_connections limit={}",
                        side,
                        session.remoteAddress(),
                        maxConnections);
            }
            return false;
        }
        counters.openedConnections.increment();
        open.add(session);
        listener.opened(session);
        return true;
    }

    /** Lets go of a connection that has closed. */
    void leave(Session session) {
        if (open.remove(session)) {
            openCount.decrementAndGet();
            try {
                listener.closed(session);
            } catch (RuntimeException e) {
                LOG.error("event=connection_listener_failed side={} remote={}", side, session.remoteAddress(), e);
            }
        }
        if (closing && open.isEmpty()) {
            allClosed.countDown();
        }
    }

    /**
     * Closes all connections after their queued bytes have left. Blocks until they are closed, a few seconds at most; not
     * when called on an event loop.
     */
    void close(String reason) {
        closing = true;
        for (Session session : open) {
            session.closeWhenSent(reason, LAST_BYTES_TIMEOUT_MS);
        }
        if (!open.isEmpty() && !isOnLoop()) {
            await(allClosed, "connections_left");
        }
    }

    private void await(CountDownLatch latch, String otherwise) {
        try {
            if (!latch.await(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                LOG.warn("event={} side={} open={}", otherwise, side, open.size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the calling thread is one of the event loops. */
    boolean isOnLoop() {
        for (LoopDesk desk : desks) {
            if (desk.loop().inLoop()) {
                return true;
            }
        }
        return false;
    }

    /** Between a link and its session, which begins when the link is open. */
    private final class Receiver implements LinkEvents {
        private final Runnable agreeing;
        private final Consumer<Session> opened;
        private @Nullable Session session;

        Receiver(Runnable agreeing, Consumer<Session> opened) {
            this.agreeing = agreeing;
            this.opened = opened;
        }

        @Override
        public void agreeing() {
            agreeing.run();
        }

        @Override
        public void opened(Link link) {
            Session made = new Session(Sessions.this, link);
            session = made;
            made.opened();
            opened.accept(made);
        }

        @Override
        public int received(ByteBuffer bytes) {
            return open().received(bytes);
        }

        @Override
        public void burstEnded() {
            open().burstEnded();
        }

        @Override
        public void writableAgain() {
            open().writableAgain();
        }

        @Override
        public void closed(String reason) {
            open().closed(reason);
        }

        private Session open() {
            Session made = session;
            if (made == null) {
                throw new IllegalStateException("a link told of bytes before it was open");
            }
            return made;
        }
    }

    /** The running counts behind {@link RemotingCounters}. */
    @ThreadSafe
    static final class Counters {
        final LongAdder openedConnections = new LongAdder();
        final LongAdder refusedConnections = new LongAdder();
        final LongAdder malformedFrames = new LongAdder();
        final LongAdder lateAnswers = new LongAdder();
        final LongAdder repeatedReplies = new LongAdder();
        final LongAdder droppedOneways = new LongAdder();
        final LongAdder timedOutCalls = new LongAdder();
        final LongAdder idleCloses = new LongAdder();
        final LongAdder requests = new LongAdder();
        final LongAdder bytesIn = new LongAdder();
        final LongAdder bytesOut = new LongAdder();

        RemotingCounters snapshot(long openConnections) {
            return new RemotingCounters(
                    openConnections,
                    openedConnections.sum(),
                    refusedConnections.sum(),
                    malformedFrames.sum(),
                    lateAnswers.sum(),
                    repeatedReplies.sum(),
                    droppedOneways.sum(),
                    timedOutCalls.sum(),
                    idleCloses.sum(),
                    requests.sum(),
                    bytesIn.sum(),
                    bytesOut.sum());
        }
    }
}
