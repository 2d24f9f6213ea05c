package dev.perigee.remoting;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.Link;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes a connection on which nothing has moved for {@link ConnectionLimits#idleMs}, in either direction. */
@OwnedBy("event loop")
final class IdleWatch {
    private static final Logger LOG = LoggerFactory.getLogger(IdleWatch.class);

    private final Session session;
    private final Sessions sessions;
    private final Link link;
    private final FrameOutlet outlet;
    private long receivedMs;

    IdleWatch(Session session, Sessions sessions, Link link, FrameOutlet outlet) {
        this.session = session;
        this.sessions = sessions;
        this.link = link;
        this.outlet = outlet;
        this.receivedMs = sessions.clock().monotonicMs();
    }

    /** Watches from now on. */
    void start() {
        checkAgain(sessions.limits().idleMs());
    }

    /** Something was received. */
    void moved(long nowMs) {
        receivedMs = nowMs;
    }

    private void checkAgain(long inMs) {
        link.loop().schedule(inMs, this::check);
    }

    private void check() {
        if (session.isClosed()) {
            return;
        }
        long limitMs = sessions.limits().idleMs();
        long idleMs = sessions.clock().monotonicMs() - Math.max(receivedMs, outlet.flushedMs());
        if (idleMs < limitMs) {
            checkAgain(limitMs - idleMs);
            return;
        }
        sessions.counters().idleCloses.increment();
        if (sessions.faults().mayLog()) {
            LOG.info(
                    "event=idle_connection_closed side={} remote={} idleMs={}",
                    sessions.side(),
                    session.remoteAddress(),
                    idleMs);
        }
        session.close("nothing moved for " + idleMs + " ms");
    }
}
