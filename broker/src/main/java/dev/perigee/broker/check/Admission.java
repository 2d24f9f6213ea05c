package dev.perigee.broker.check;

import dev.perigee.broker.config.SendSettings;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;

/** Refuses requests that waited in the broker for so long that their sender has given up. */
@Immutable
public final class Admission {
    private final Clock clock;
    private final int maxSendWaitMs;
    private final int maxOtherWaitMs;

    public Admission(Clock clock, SendSettings settings) {
        this.clock = clock;
        this.maxSendWaitMs = settings.maxSendWaitMs();
        this.maxOtherWaitMs = settings.maxOtherWaitMs();
    }

    /** Milliseconds a request waited beyond what a send may; 0 when it is in time. */
    public long overdueSendMs(Request<?> request) {
        long waitedMs = clock.monotonicMs() - request.arrivedMs();
        return waitedMs > maxSendWaitMs ? waitedMs : 0;
    }

    /** The text for a send that waited so long. */
    public String overdueSendText(long waitedMs) {
        return text(waitedMs, maxSendWaitMs);
    }

    /** Answers a request that waited too long, and says whether it did. For everything but sends. */
    public boolean refusesOther(Request<?> request, Reply<?> reply) {
        long waitedMs = clock.monotonicMs() - request.arrivedMs();
        if (waitedMs <= maxOtherWaitMs) {
            return false;
        }
        reply.fail(ResponseCode.SYSTEM_BUSY, text(waitedMs, maxOtherWaitMs));
        return true;
    }

    private static String text(long waitedMs, int limitMs) {
        return "[TIMEOUT_CLEAN_QUEUE]broker busy: the request waited " + waitedMs + " ms before its handler ran, limit "
                + limitMs + " ms";
    }
}
