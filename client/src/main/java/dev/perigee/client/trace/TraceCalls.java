package dev.perigee.client.trace;

import dev.perigee.client.listener.ConsumeObserver;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.listener.Outcome;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.trace.TraceRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notes when a listener is given messages, and what it does with them. */
@ThreadSafe
public final class TraceCalls implements ConsumeObserver {
    private final TraceWriter writer;
    private final UniqueId requestIds;
    private final Clock clock;
    private final long timeoutMs;

    /**
     * @param requestIds makes an id for each call
     * @param timeoutMs a call that took so long or longer is noted as one that took too long
     */
    public TraceCalls(TraceWriter writer, UniqueId requestIds, Clock clock, long timeoutMs) {
        this.writer = writer;
        this.requestIds = requestIds;
        this.clock = clock;
        this.timeoutMs = timeoutMs;
    }

    /** A call under way. */
    @Immutable
    private record Call(String group, String requestId, List<MessageExt> messages) {}

    @Override
    public Object begun(String group, List<MessageExt> messages) {
        Call call = new Call(group, requestIds.next(), List.copyOf(messages));
        long nowMs = clock.wallMs();
        List<TraceRecord> notes = new ArrayList<>();
        for (MessageExt message : messages) {
            if (isTraced(message)) {
                String region = message.property(PropertyKey.MSG_REGION);
                notes.add(new TraceRecord.ConsumeBegun(
                        nowMs,
                        region == null ? "" : region,
                        group,
                        call.requestId,
                        message.messageId(),
                        message.reconsumeTimes(),
                        message.property(PropertyKey.KEYS)));
            }
        }
        writer.note(notes);
        return call;
    }

    private boolean isTraced(MessageExt message) {
        return writer.topics().isTraced(message.topic(), message.properties());
    }

    @Override
    public void ended(
            Object begun, @Nullable ConsumeResult result, Outcome outcome, long costMs, @Nullable Throwable failure) {
        Call call = (Call) begun;
        long nowMs = clock.wallMs();
        List<TraceRecord> notes = new ArrayList<>();
        for (int i = 0; i < call.messages.size(); i++) {
            MessageExt message = call.messages.get(i);
            if (isTraced(message)) {
                boolean isFinished = outcome.isSuccess() && i < outcome.finished();
                notes.add(new TraceRecord.ConsumeEnded(
                        call.requestId,
                        message.messageId(),
                        costMs / call.messages.size(),
                        isFinished,
                        message.property(PropertyKey.KEYS),
                        ending(result, isFinished, costMs, failure),
                        nowMs,
                        call.group));
            }
        }
        writer.note(notes);
    }

    private TraceRecord.Ending ending(
            @Nullable ConsumeResult result, boolean isFinished, long costMs, @Nullable Throwable failure) {
        if (failure != null) {
            return TraceRecord.Ending.EXCEPTION;
        }
        if (result == null) {
            return TraceRecord.Ending.RETURNED_NULL;
        }
        if (costMs >= timeoutMs) {
            return TraceRecord.Ending.TIMEOUT;
        }
        return isFinished ? TraceRecord.Ending.SUCCESS : TraceRecord.Ending.FAILED;
    }
}
