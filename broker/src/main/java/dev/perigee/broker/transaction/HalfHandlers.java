package dev.perigee.broker.transaction;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.HalfListHeader;
import dev.perigee.protocol.header.send.ResumeHalfHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.property.MessageProperties;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.transaction.HalfMessage;
import dev.perigee.protocol.transaction.HalfMessageList;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.ColdReaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What tools ask about halves: which are undecided (310001), and to check one again that was set aside (323). */
@ThreadSafe
public final class HalfHandlers {
    /** Halves of one answer at most. */
    static final int MAX_LISTED = 1_000;
    /** Bytes of one answer at most, but for its last half; the answer says where to go on. */
    static final int MAX_ANSWER_BYTES = 4 << 20;
    /** Halves looked at for one answer at most; the answer says where to go on. */
    static final int MAX_LOOKED_AT = 10_000;

    private static final long NO_MORE = -1;
    private static final Logger LOG = LoggerFactory.getLogger(HalfHandlers.class);

    private final TransactionView view;
    private final FrameLookup frames;
    private final FactSink sink;
    private final HalfTimes times;
    private final ReadGate gate;
    private final ColdReaders cold;
    private final FaultLog faults;

    HalfHandlers(
            TransactionView view,
            FrameLookup frames,
            FactSink sink,
            HalfTimes times,
            ReadGate gate,
            ColdReaders cold,
            FaultLog faults) {
        this.view = view;
        this.frames = frames;
        this.sink = sink;
        this.times = times;
        this.gate = gate;
        this.cold = cold;
        this.faults = faults;
    }

    /** 310001: undecided halves, the oldest first. */
    public void list(Request<HalfListHeader> request, Reply<NoHeader> reply) {
        HalfListHeader header = request.header();
        if (header.maxNum() < 1 || header.maxNum() > MAX_LISTED || header.afterBirth() < NO_MORE) {
            reply.fail(
                    ResponseCode.INVALID_PARAMETER,
                    "maxNum=" + header.maxNum() + " must be 1 to " + MAX_LISTED + ", afterBirth=" + header.afterBirth()
                            + " at least -1");
            return;
        }
        gate.pass(
                reply, () -> ColdAnswer.give(cold, reply, () -> reply.ok(NoHeader.NONE, Bodies.json(listed(header)))));
    }

    /** Waits for the disk. */
    private HalfMessageList listed(HalfListHeader header) {
        ViewStore store = view.store();
        Page page = new Page(header);
        if (store == null) {
            return page.answer();
        }
        try {
            store.scan(HalfKeys.birth(header.afterBirth() + 1), HalfKeys.birthEnd(), (key, value) -> {
                if (page.isFull()) {
                    page.more = true;
                    return false;
                }
                page.look(HalfKeys.half(value));
                return true;
            });
        } catch (IOException e) {
            throw new UncheckedIOException("the store of the halves cannot be read", e);
        }
        return page.answer();
    }

    /** One answer about undecided halves, as it grows. */
    private final class Page {
        private final HalfListHeader wanted;
        private final List<HalfMessage> found = new ArrayList<>();
        private int lookedAt;
        private long bytes;
        private long lastBirth = NO_MORE;
        /** Whether there is a half behind the last one looked at. */
        boolean more;

        Page(HalfListHeader wanted) {
            this.wanted = wanted;
        }

        boolean isFull() {
            return found.size() >= wanted.maxNum() || lookedAt >= MAX_LOOKED_AT || bytes >= MAX_ANSWER_BYTES;
        }

        void look(Half half) {
            HalfMessage message = message(half);
            lookedAt++;
            lastBirth = half.birth();
            if ((wanted.producerGroup() == null || wanted.producerGroup().equals(message.producerGroup()))
                    && (wanted.topic() == null || wanted.topic().equals(message.topic()))) {
                found.add(message);
                bytes += Json.write(message).length + 1;
            }
        }

        HalfMessageList answer() {
            return new HalfMessageList(found, more ? lastBirth : NO_MORE);
        }
    }

    /** What is known of a half; without group, topic and key when its frame cannot be read. */
    private HalfMessage message(Half half) {
        try {
            SegmentLease lease = frames.find(half.offset());
            if (lease == null) {
                return unreadable(half);
            }
            try {
                return message(half, new MessageFrame().wrap(lease.bytes(), 0));
            } finally {
                lease.release();
            }
        } catch (RuntimeException | InternalError e) { // the latter when the disk does not give what is mapped
            if (faults.mayLog()) {
                LOG.error("event=half_not_read offset={} birth={}", half.offset(), half.birth(), e);
            }
            return unreadable(half);
        }
    }

    private HalfMessage unreadable(Half half) {
        return new HalfMessage(
                half.birth(),
                half.queueOffset(),
                "",
                "",
                "",
                0,
                half.checks(),
                times.wallMs(half.nextCheckMs()),
                times.wallMs(half.acceptedMs()),
                "",
                null,
                0);
    }

    private HalfMessage message(Half half, MessageFrame frame) {
        HalfFrames.Home home = HalfFrames.home(frame);
        return new HalfMessage(
                half.birth(),
                half.queueOffset(),
                text(frame, PropertyKey.UNIQ_KEY),
                text(frame, PropertyKey.PRODUCER_GROUP),
                home.topic(),
                home.queueId(),
                half.checks(),
                times.wallMs(half.nextCheckMs()),
                frame.bornTimestampMs(),
                frame.bornHost().getAddress().getHostAddress() + ":"
                        + frame.bornHost().getPort(),
                frame.property(PropertyKey.KEYS),
                frame.bodyLength());
    }

    private static String text(MessageFrame frame, String name) {
        return Objects.requireNonNullElse(frame.property(name), "");
    }

    /** 323: a message that was set aside becomes a half again that nobody was asked for yet (broker-admin §4). */
    public void resume(Request<ResumeHalfHeader> request, Reply<NoHeader> reply) {
        String messageId = request.header().msgId();
        long offset;
        try {
            offset = MessageId.parse(messageId).physicalOffset();
        } catch (IllegalArgumentException e) {
            reply.fail(
                    ResponseCode.SYSTEM_ERROR,
                    "msgId=" + messageId + " is no offset message id of 32 or 56 upper-case hex digits");
            return;
        }
        ColdAnswer.give(cold, reply, () -> resume(offset, messageId, reply));
    }

    private void resume(long offset, String messageId, Reply<NoHeader> reply) {
        SegmentLease lease = frames.find(offset);
        if (lease == null) {
            notSetAside(messageId, reply);
            return;
        }
        try {
            MessageFrame frame = new MessageFrame().wrap(lease.bytes(), 0);
            if (!frame.hasTopic(SystemTopic.TRANSACTION_CHECK_MAX) || frame.property(PropertyKey.REAL_TOPIC) == null) {
                notSetAside(messageId, reply);
                return;
            }
            FrameDraft draft =
                    HalfFrames.resumed(frame, times.firstCheck(frame.property(PropertyKey.CHECK_IMMUNITY_TIME)));
            if (draft.storedPropertiesBytes() + HalfFrames.GROWTH_BYTES > MessageProperties.MAX_BYTES) {
                reply.fail(
                        ResponseCode.MESSAGE_ILLEGAL,
                        "the properties of message " + messageId + " leave no room for those of a half, limit "
                                + MessageProperties.MAX_BYTES);
                return;
            }
            sink.append(
                    SystemTopic.HALF,
                    HalfFrames.QUEUE_ID,
                    draft,
                    FactSink.Room.ORDINARY,
                    (result, endOffset, queueOffset) -> Appends.answer(reply, result, NoHeader.NONE));
        } finally {
            lease.release();
        }
    }

    private static void notSetAside(String messageId, Reply<NoHeader> reply) {
        reply.fail(
                ResponseCode.SYSTEM_ERROR,
                "no message of topic[" + SystemTopic.TRANSACTION_CHECK_MAX + "] has msgId=" + messageId);
    }
}
