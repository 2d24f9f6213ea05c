package dev.perigee.broker.check;

import dev.perigee.broker.config.SendSettings;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.Request;
import org.jspecify.annotations.Nullable;

/** Refuses requests that waited in the broker for so long that their sender has given up. */
@Immutable
public final class Admission implements Gate {
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

    /** Refuses what waited too long, but for sends, whose handler answers with the header that belongs to it. */
    @Override
    public Gate.@Nullable Refusal check(Request<?> request) {
        int code = request.code();
        if (code == RequestCode.SEND_MESSAGE
                || code == RequestCode.SEND_MESSAGE_V2
                || code == RequestCode.SEND_BATCH_MESSAGE) {
            return null;
        }
        long waitedMs = clock.monotonicMs() - request.arrivedMs();
        return waitedMs <= maxOtherWaitMs
                ? null
                : new Gate.Refusal(ResponseCode.SYSTEM_BUSY, text(waitedMs, maxOtherWaitMs));
    }

    private static String text(long waitedMs, int limitMs) {
        return "[TIMEOUT_CLEAN_QUEUE]broker busy: the request waited " + waitedMs + " ms before its handler ran, limit "
                + limitMs + " ms";
    }
}
