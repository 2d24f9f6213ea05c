package dev.perigee.broker.send;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.remoting.Reply;
import dev.perigee.store.append.AppendListener;
import dev.perigee.store.append.AppendRequest;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.disk.DiskSpace;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers one send when its append has ended. Runs on the log loop. */
@Immutable
final class SendCompletion implements AppendListener {
    /**
     * What all completions share.
     *
     * @param marks what answers carry
     * @param stats what they count
     * @param clock measures how long a send took
     * @param maxWaitMs how long a send may wait in front of the log
     * @param space what is free on the disk
     */
    record Shared(StoreMarks marks, BrokerStats stats, Clock clock, int maxWaitMs, Supplier<DiskSpace> space) {}

    private final Shared shared;
    private final Reply<SendMessageResponse> reply;
    private final int queueId;
    private final @Nullable String uniqueKey;
    private final @Nullable String recallHandle;
    private final boolean traceOn;
    private final long arrivedMs;

    /** @param loop holds what is prepared; what the answer needs of it is taken over */
    SendCompletion(Shared shared, Send send, SendLoop loop, boolean traceOn) {
        this.shared = shared;
        this.queueId = loop.askedQueue;
        this.reply = send.reply();
        this.arrivedMs = send.request().arrivedMs();
        this.uniqueKey = loop.uniqueKey;
        this.recallHandle = loop.recallHandle;
        this.traceOn = traceOn;
    }

    @Override
    public void completed(AppendRequest request, AppendResult result) {
        try { // as Reply.guard does, without an object for each message
            answer(request, result);
        } catch (RuntimeException e) {
            reply.failed(e);
        }
    }

    private void answer(AppendRequest request, AppendResult result) {
        if (!result.isStored()) {
            shared.stats().refused();
            reply.send(
                    Appends.code(result),
                    refusal(request, result),
                    shared.marks().refused(traceOn),
                    null);
        } else {
            shared.stats().putLatencies().add(shared.clock().monotonicMs() - arrivedMs);
            shared.stats().stored(request.topic(), request.frameCount(), request.sizeBytes());
            SendMessageResponse header = shared.marks()
                    .stored(messageIds(request), queueId, request.queueOffset(), uniqueKey, recallHandle, traceOn);
            String remark = result == AppendResult.APPENDED ? null : Appends.remark(result);
            reply.send(Appends.code(result), remark, header, null);
        }
    }

    private String refusal(AppendRequest request, AppendResult result) {
        String remark = Appends.remark(result, shared.space().get());
        if (result == AppendResult.EXPIRED) {
            return remark + " (waited " + (shared.clock().monotonicMs() - arrivedMs)
                    + " ms, limit waitTimeMillsInSendQueue=" + shared.maxWaitMs() + " ms)";
        }
        return result == AppendResult.TOPIC_DELETED ? "topic[" + request.topic() + "]: " + remark : remark;
    }

    /** A unit that waits in front of the log no longer than its sender does. */
    AppendRequest unit(String topic, int storedIn, int frames, boolean waitForStore) {
        return new AppendRequest(topic, storedIn, frames, waitForStore, this).arrived(arrivedMs, shared.maxWaitMs());
    }

    private String messageIds(AppendRequest request) {
        byte[] host = shared.marks().storeHost();
        if (request.frameCount() == 1) {
            return MessageId.text(host, request.physicalOffset(0));
        }
        StringBuilder ids = new StringBuilder(request.frameCount() * 33);
        for (int i = 0; i < request.frameCount(); i++) {
            ids.append(i == 0 ? "" : ",").append(MessageId.text(host, request.physicalOffset(i)));
        }
        return ids.toString();
    }
}
