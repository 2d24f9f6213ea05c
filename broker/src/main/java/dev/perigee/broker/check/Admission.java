package dev.perigee.broker.check;

import dev.perigee.broker.config.SendSettings;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Gate;
import dev.perigee.remoting.Request;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that waited in the broker for so long that their sender has given up. Only while the log's inbox is
 * long: a request that is late although nothing queues (a cold start, a machine without a free processor) is served, for
 * refusing it would help nobody.
 */
@Immutable
public final class Admission implements Gate {
    private final Clock clock;
    private final BooleanSupplier isBusy;
    private final int maxSendWaitMs;
    private final int maxOtherWaitMs;

    /** @param isBusy whether many requests wait for the log loop */
    public Admission(Clock clock, SendSettings settings, BooleanSupplier isBusy) {
        this.clock = clock;
        this.isBusy = isBusy;
        this.maxSendWaitMs = settings.maxSendWaitMs();
        this.maxOtherWaitMs = settings.maxOtherWaitMs();
    }

    /** Milliseconds a request that arrived then waited beyond what a send may; 0 when it is to be served. */
    public long overdueSendMs(long arrivedMs) {
        long waitedMs = clock.monotonicMs() - arrivedMs;
        return waitedMs > maxSendWaitMs && isBusy.getAsBoolean() ? waitedMs : 0;
    }

    /** The text for a send that waited so long. */
    public String overdueSendText(long waitedMs) {
        return text(waitedMs, "waitTimeMillsInSendQueue", maxSendWaitMs);
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
        return waitedMs <= maxOtherWaitMs || !isBusy.getAsBoolean()
                ? null
                : new Gate.Refusal(
                        ResponseCode.SYSTEM_BUSY, text(waitedMs, "waitTimeMillsInPullQueue", maxOtherWaitMs));
    }

    private static String text(long waitedMs, String setting, int limitMs) {
        return "[TIMEOUT_CLEAN_QUEUE]broker busy: the request waited " + waitedMs + " ms before its handler ran, limit "
                + setting + "=" + limitMs + " ms";
    }
}
