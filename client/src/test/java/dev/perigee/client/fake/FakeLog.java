package dev.perigee.client.fake;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.pull.PullSysFlag;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.remoting.transport.Transport;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** The queues of a fake broker. */
public final class FakeLog {
    record Content(ByteBuffer body, PropertyText properties, int flag, int sysFlag) {}

    private record Parked(PullMessageHeader header, Reply<PullMessageResponse> reply, AtomicBoolean answered) {}

    private static final int STORE_TIMESTAMP_AT = 56;

    private final String brokerName;
    private final Transport transport;
    private final Clock clock;
    private final Map<String, List<byte[]>> queues = new HashMap<>();
    private final List<Parked> parked = new ArrayList<>();
    private final Map<String, Integer> queueCounts = new HashMap<>();
    private long physicalEnd;
    private int pulls;
    private boolean knowsLitePulls = true;
    private long suggested;

    FakeLog(String brokerName, Transport transport, Clock clock) {
        this.brokerName = brokerName;
        this.transport = transport;
        this.clock = clock;
    }

    synchronized void queues(String topic, int count) {
        queueCounts.put(topic, count);
    }

    public synchronized int pulls() {
        return pulls;
    }

    /** Stores a message as if somebody had sent it. */
    public synchronized long append(String topic, int queueId, String body, String properties) {
        return append(
                topic,
                queueId,
                new Content(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)), PropertyText.of(properties), 0, 0));
    }

    synchronized long append(String topic, int queueId, Content content) {
        List<byte[]> queue = queues.computeIfAbsent(topic + "@" + queueId, k -> new ArrayList<>());
        byte[] frame = frame(topic, queueId, content, queue.size());
        physicalEnd += frame.length;
        queue.add(frame);
        wake(topic, queueId);
        return queue.size() - 1L;
    }

    /** Where the next frame will lie. */
    synchronized long physicalEnd() {
        return physicalEnd;
    }

    /** The frame this message would be next. */
    synchronized byte[] frame(String topic, int queueId, Content content, long queueOffset) {
        FrameDraft draft = new FrameDraft()
                .topic(topic.getBytes(StandardCharsets.UTF_8))
                .queueId(queueId)
                .flag(content.flag())
                .sysFlag(content.sysFlag())
                .bornTimestampMs(clock.wallMs())
                .body(content.body())
                .properties(content.properties());
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        frame.putLong(MessageFrame.QUEUE_OFFSET_AT, queueOffset);
        frame.putLong(MessageFrame.PHYSICAL_OFFSET_AT, physicalEnd);
        frame.putLong(STORE_TIMESTAMP_AT, clock.wallMs());
        return frame.array();
    }

    public synchronized long endOffset(String topic, int queueId) {
        return queues.getOrDefault(topic + "@" + queueId, List.of()).size();
    }

    /** The first offset stored at that time or later, else the end. */
    synchronized long offsetAt(String topic, int queueId, long wallMs) {
        long at = 0;
        for (byte[] frame : queues.getOrDefault(topic + "@" + queueId, List.of())) {
            if (ByteBuffer.wrap(frame).getLong(STORE_TIMESTAMP_AT) >= wallMs) {
                break;
            }
            at++;
        }
        return at;
    }

    /** One stored message as its frame. */
    public synchronized byte[] frame(String topic, int queueId, int index) {
        return queues.getOrDefault(topic + "@" + queueId, List.of()).get(index).clone();
    }

    public synchronized long total(String topic) {
        long total = 0;
        for (Map.Entry<String, List<byte[]>> queue : queues.entrySet()) {
            total += queue.getKey().startsWith(topic + "@") ? queue.getValue().size() : 0;
        }
        return total;
    }

    private void wake(String topic, int queueId) {
        for (Parked pull : List.copyOf(parked)) {
            if (pull.header.topic().equals(topic) && pull.header.queueId() == queueId) {
                parked.remove(pull);
                answer(pull);
            }
        }
    }

    /** From now on every pull is told to ask this broker id next. */
    public synchronized void suggest(long brokerId) {
        suggested = brokerId;
    }

    /** From now on the code of lite pulls is unknown here, as to brokers of 4.x. */
    public synchronized void refuseLitePulls() {
        knowsLitePulls = false;
    }

    synchronized void litePull(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        if (knowsLitePulls) {
            pull(request, reply);
        } else {
            reply.fail(ResponseCode.REQUEST_CODE_NOT_SUPPORTED, "request type 361 not supported");
        }
    }

    synchronized void pull(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        pulls++;
        Parked pull = new Parked(request.header(), reply, new AtomicBoolean());
        long end = endOffset(pull.header.topic(), pull.header.queueId());
        if (pull.header.queueOffset() == end && PullSysFlag.has(pull.header.sysFlag(), PullSysFlag.SUSPEND)) {
            parked.add(pull);
            transport.loop(0).schedule(pull.header.suspendTimeoutMillis(), () -> {
                synchronized (this) {
                    if (parked.remove(pull)) {
                        answer(pull);
                    }
                }
            });
        } else {
            answer(pull);
        }
    }

    private void answer(Parked pull) {
        PullMessageHeader header = pull.header;
        List<byte[]> queue = queues.getOrDefault(header.topic() + "@" + header.queueId(), List.of());
        long end = queue.size();
        if (header.queueOffset() > end) {
            pull.reply.send(ResponseCode.PULL_OFFSET_MOVED, "OFFSET_OVERFLOW_BADLY", response(end, end), null);
            return;
        }
        if (header.queueOffset() == end) {
            pull.reply.send(ResponseCode.PULL_NOT_FOUND, "OFFSET_OVERFLOW_ONE", response(end, end), null);
            return;
        }
        long next = Math.min(end, header.queueOffset() + header.maxMsgNums());
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (long i = header.queueOffset(); i < next; i++) {
            body.writeBytes(queue.get((int) i));
        }
        pull.reply.ok(response(next, end), Payload.of(body.toByteArray()));
    }

    private PullMessageResponse response(long next, long end) {
        return new PullMessageResponse(suggested, next, 0, end, null, null, null, null);
    }

    @Override
    public String toString() {
        return brokerName + queueCounts;
    }
}
