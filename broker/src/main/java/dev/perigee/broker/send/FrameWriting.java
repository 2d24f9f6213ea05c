package dev.perigee.broker.send;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.retry.DeadLetters;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicFilterType;
import dev.perigee.store.append.AppendResult;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Turns a checked send into frames and hands them to the log. Runs on the event loop of the send's connection. */
@ThreadSafe
final class FrameWriting {
    private static final String[] OWN_PROPERTIES = {
        PropertyKey.POP_CK,
        PropertyKey.MSG_REGION,
        PropertyKey.TRACE_ON,
        PropertyKey.CLUSTER,
        PropertyKey.STAMP,
        PropertyKey.TIMER_MARK,
        PropertyKey.HALF_MARK
    };

    private final SendLoop[] loops;
    private final SendChecks checks;
    private final SendCompletion.Shared shared;
    private final UniqueId uniqueIds;
    private final IntUnaryOperator random;
    private final Placement placement;

    /** {@code random} gives a number from 0 below its argument, for sends that leave the queue to the broker. */
    FrameWriting(
            SendLoop[] loops,
            SendChecks checks,
            SendCompletion.Shared shared,
            UniqueId uniqueIds,
            IntUnaryOperator random,
            Placement placement) {
        this.loops = loops.clone();
        this.checks = checks;
        this.shared = shared;
        this.uniqueIds = uniqueIds;
        this.random = random;
        this.placement = placement;
    }

    StoreMarks marks() {
        return shared.marks();
    }

    /**
     * Why {@link #append} to a topic of this shape would be refused now; null when it would not be. Appends nothing, so it
     * may be asked before the topic is there.
     */
    @Nullable
    Refusal refuse(Send send, TopicConfig topic, @Nullable String deadLetter, boolean traceOn) {
        SendLoop loop = draft(send, topic, 0);
        Refusal refusal = prepare(loop, send, deadLetter, traceOn);
        if (refusal != null) {
            return refusal;
        }
        AppendResult admission = loop.appender.admission(loop.unitBytes);
        return admission == AppendResult.APPENDED
                ? null
                : Appends.refusal(admission, shared.space().get());
    }

    /**
     * Appends the message or messages of a send. The answer comes later, unless this returns why there is nothing to
     * append.
     *
     * @param deadLetter why it is a dead letter; null when it is none
     */
    @Nullable
    Refusal append(Send send, TopicConfig topic, int wantedQueue, @Nullable String deadLetter, boolean traceOn) {
        int queueId = wantedQueue >= 0 ? wantedQueue : random.applyAsInt(topic.writeQueueNums());
        SendLoop loop = draft(send, topic, queueId);
        Refusal refusal = prepare(loop, send, deadLetter, traceOn);
        if (refusal != null) {
            return refusal;
        }
        ByteBuffer space = loop.appender.reserve(loop.unitBytes);
        if (space == null) {
            return Appends.refusal(loop.appender.refusal(), shared.space().get());
        }
        int frames = send.isBatch() ? writeBatch(loop, space) : writeOne(loop, space);
        loop.appender.submit(new SendCompletion(shared, send, loop, traceOn)
                .unit(loop.topic, loop.queueId, frames, loop.properties.waitForStore()));
        return null;
    }

    /** Begins a draft with what all frames of the send have in common. */
    private SendLoop draft(Send send, TopicConfig topic, int queueId) {
        SendLoop loop = loops[send.request().from().loopIndex()];
        loop.batch = null;
        loop.topic = topic.topicName();
        loop.queueId = queueId;
        loop.askedQueue = queueId;
        loop.writeQueues = topic.writeQueueNums();
        loop.growthBytes = 0;
        loop.recallHandle = null;
        SendMessageHeader header = send.header();
        loop.draft
                .topic(topic.topicName().getBytes(StandardCharsets.UTF_8))
                .queueId(queueId)
                .sysFlag(SysFlag.withTransaction(header.sysFlag(), 0)
                        | (topic.topicFilterType() == TopicFilterType.MULTI_TAG ? SysFlag.MULTI_TAGS : 0))
                .bornTimestampMs(header.bornTimestamp())
                .bornHost(loop.hostOf(send.request().askedBy()))
                .storeHost(shared.marks().storeHost())
                .reconsumeTimes(header.reconsumeTimes())
                .preparedTransactionOffset(0);
        return loop;
    }

    /** Leaves in the loop what is to be written, its size and its key; or says what is wrong with it. */
    private @Nullable Refusal prepare(SendLoop loop, Send send, @Nullable String deadLetter, boolean traceOn) {
        return send.isBatch() ? prepareBatch(loop, send) : prepareOne(loop, send, deadLetter, traceOn);
    }

    private @Nullable Refusal prepareOne(SendLoop loop, Send send, @Nullable String deadLetter, boolean traceOn) {
        PropertyText given = propertiesOf(send.header());
        SendProperties properties = loop.properties;
        properties.scan(given);
        Refusal refusal = deadLetter != null ? null : checks.properties(properties);
        if (refusal != null) {
            return refusal;
        }
        if (properties.needsEdit() || deadLetter != null) {
            loop.edit.load(given, OWN_PROPERTIES);
        } else {
            loop.edit.clear().append(given.toByteArray());
        }
        loop.uniqueKey = properties.uniqueKey();
        if (loop.uniqueKey == null) {
            loop.uniqueKey = uniqueIds.next();
            loop.edit.put(PropertyKey.UNIQ_KEY, loop.uniqueKey);
        }
        loop.edit.append(shared.marks().pairs(traceOn));
        FrameDraft draft =
                loop.draft.flag(send.header().flag()).body(send.body()).properties(loop.edit);
        if (deadLetter != null) {
            describeDeadLetter(loop, given, deadLetter);
        } else {
            refusal = placement.place(loop, send);
        }
        loop.unitBytes = draft.sizeBytes();
        return refusal != null
                ? refusal
                : SendChecks.propertiesSize(draft.storedPropertiesBytes() + loop.growthBytes, given);
    }

    private static void describeDeadLetter(SendLoop loop, PropertyText given, String reason) {
        loop.edit.remove(PropertyKey.DELAY_LEVEL);
        DeadLetters.describe(
                loop.draft,
                loop.edit,
                DeadLetters.origin(
                        Objects.requireNonNullElse(given.get(PropertyKey.RETRY_TOPIC), ""),
                        Objects.requireNonNullElse(given.get(PropertyKey.ORIGIN_MESSAGE_ID), ""),
                        reason));
    }

    private static int writeOne(SendLoop loop, ByteBuffer space) {
        loop.draft.writeTo(space);
        return 1;
    }

    private @Nullable Refusal prepareBatch(SendLoop loop, Send send) {
        BatchBody batch;
        try {
            batch = BatchBody.of(send.body());
        } catch (MalformedMessageException e) {
            return SendChecks.illegal(String.valueOf(e.getMessage()));
        }
        List<PropertyText> properties = new ArrayList<>(batch.count());
        int sizeBytes = 0;
        while (batch.next()) {
            PropertyText given = batch.properties();
            loop.properties.scan(given);
            Refusal refusal = checks.batch(loop.properties);
            PropertyText stored = loop.properties.needsEdit()
                    ? loop.edit.load(given, OWN_PROPERTIES).toText()
                    : given;
            FrameDraft draft = loop.draft.body(batch.body()).properties(stored);
            if (refusal == null) {
                refusal = SendChecks.propertiesSize(draft.storedPropertiesBytes(), given);
            }
            if (refusal != null) {
                return new Refusal(refusal.code(), "batch entry " + properties.size() + ": " + refusal.remark());
            }
            properties.add(stored);
            sizeBytes += draft.sizeBytes();
        }
        loop.properties.scan(propertiesOf(send.header()));
        loop.uniqueKey = loop.properties.uniqueKey();
        loop.unitBytes = sizeBytes;
        loop.batch = new SendLoop.Batch(batch, properties);
        return checks.batch(loop.properties);
    }

    private static int writeBatch(SendLoop loop, ByteBuffer space) {
        SendLoop.Batch batch = loop.takeBatch();
        BatchBody body = batch.body();
        body.rewind();
        for (int i = 0; body.next(); i++) {
            loop.draft
                    .flag(body.flag())
                    .body(body.body())
                    .properties(batch.properties().get(i))
                    .writeTo(space);
        }
        return body.count();
    }

    private static PropertyText propertiesOf(SendMessageHeader header) {
        PropertyText properties = header.properties();
        return properties == null ? PropertyText.EMPTY : properties;
    }
}
