package dev.perigee.client.trace;

import dev.perigee.client.hook.SendObserver;
import dev.perigee.client.hook.SentMessage;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.trace.TraceRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Notes how sends end. Whether a message is traced, and its region, is what the broker says in its answer; of a send that failed,
 * what the last answer said.
 */
@ThreadSafe
public final class TraceSends implements SendObserver {
    private static final List<String> DELAYS =
            List.of(PropertyKey.TIMER_DELAY_MS, PropertyKey.TIMER_DELIVER_MS, PropertyKey.TIMER_DELAY_SEC);

    private final TraceWriter writer;
    private final String group;
    private volatile @Nullable SendResult lastResult;

    public TraceSends(TraceWriter writer, String group) {
        this.writer = writer;
        this.group = group;
    }

    @Override
    public Message prepare(Message message) {
        return message;
    }

    @Override
    public void ended(SentMessage what) {
        SendResult result = what.result();
        if (result != null) {
            lastResult = result;
        }
        SendResult said = lastResult;
        Message message = what.message();
        if (writer.topics().isTrace(message.topic()) || (said != null && !said.traceOn())) {
            return;
        }
        String offsetId = result == null ? "" : result.offsetMessageId();
        writer.note(List.of(new TraceRecord.Sent(
                what.startedMs(),
                said == null ? "" : said.region(),
                group,
                message.topic(),
                what.messageId(),
                message.tag(),
                message.property(PropertyKey.KEYS),
                what.brokerAddress(),
                message.body().length,
                what.costMs(),
                kind(message),
                offsetId.isEmpty() ? null : offsetId,
                result != null && result.status() == SendStatus.SEND_OK,
                null)));
    }

    private static TraceRecord.Kind kind(Message message) {
        if (message.property(PropertyKey.TRANSACTION_PREPARED) != null) {
            return TraceRecord.Kind.HALF;
        }
        boolean isDelayed =
                message.delayLevel() > 0 || DELAYS.stream().anyMatch(name -> message.property(name) != null);
        return isDelayed ? TraceRecord.Kind.DELAYED : TraceRecord.Kind.NORMAL;
    }
}
