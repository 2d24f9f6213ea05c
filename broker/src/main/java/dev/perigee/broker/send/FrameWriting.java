package dev.perigee.broker.send;

import dev.perigee.broker.check.Appends;
import dev.perigee.broker.check.Refusal;
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
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Turns a checked send into frames and hands them to the log. Runs on the event loop of the send's connection. */
@ThreadSafe
final class FrameWriting {
    private static final String[] OWN_PROPERTIES = {
        PropertyKey.POP_CK, PropertyKey.MSG_REGION, PropertyKey.TRACE_ON, PropertyKey.CLUSTER, PropertyKey.STAMP
    };

    private final SendLoop[] loops;
    private final SendChecks checks;
    private final SendCompletion.Shared shared;
    private final UniqueId uniqueIds;
    private final IntUnaryOperator random;

    /** {@code random} gives a number from 0 below its argument, for sends that leave the queue to the broker. */
    FrameWriting(
            SendLoop[] loops,
            SendChecks checks,
            SendCompletion.Shared shared,
            UniqueId uniqueIds,
            IntUnaryOperator random) {
        this.loops = loops.clone();
        this.checks = checks;
        this.shared = shared;
        this.uniqueIds = uniqueIds;
        this.random = random;
    }

    StoreMarks marks() {
        return shared.marks();
    }

    /**
     * Why {@link #append} to a topic of this shape would be refused now; null when it would not be. Appends nothing, so it
     * may be asked before the topic is there.
     */
    @Nullable
    Refusal refuse(Send send, TopicConfig topic, boolean deadLetter, boolean traceOn) {
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
     */
    @Nullable
    Refusal append(Send send, TopicConfig topic, int wantedQueue, boolean deadLetter, boolean traceOn) {
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
        loop.appender.submit(new SendCompletion(shared, send, loop.uniqueKey, traceOn)
                .unit(topic.topicName(), queueId, frames, loop.properties.waitForStore()));
        return null;
    }

    /** Begins a draft with what all frames of the send have in common. */
    private SendLoop draft(Send send, TopicConfig topic, int queueId) {
        SendLoop loop = loops[send.request().from().loopIndex()];
        loop.batch = null;
        SendMessageHeader header = send.header();
        loop.draft
                .topic(topic.topicName().getBytes(StandardCharsets.UTF_8))
                .queueId(queueId)
                .sysFlag(
                        topic.topicFilterType() == TopicFilterType.MULTI_TAG
                                ? header.sysFlag() | SysFlag.MULTI_TAGS
                                : header.sysFlag())
                .bornTimestampMs(header.bornTimestamp())
                .bornHost(loop.hostOf(send.request().from()))
                .storeHost(shared.marks().storeHost())
                .reconsumeTimes(header.reconsumeTimes())
                .preparedTransactionOffset(0);
        return loop;
    }

    /** Leaves in the loop what is to be written, its size and its key; or says what is wrong with it. */
    private @Nullable Refusal prepare(SendLoop loop, Send send, boolean deadLetter, boolean traceOn) {
        return send.isBatch() ? prepareBatch(loop, send) : prepareOne(loop, send, deadLetter, traceOn);
    }

    private @Nullable Refusal prepareOne(SendLoop loop, Send send, boolean deadLetter, boolean traceOn) {
        PropertyText given = propertiesOf(send.header());
        SendProperties properties = loop.properties;
        properties.scan(given);
        Refusal refusal = deadLetter ? null : checks.properties(properties);
        if (refusal != null) {
            return refusal;
        }
        if (properties.needsEdit() || deadLetter) {
            loop.edit.load(given, OWN_PROPERTIES);
            if (deadLetter) {
                loop.edit.remove(PropertyKey.DELAY_LEVEL);
            }
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
        loop.unitBytes = draft.sizeBytes();
        return SendChecks.propertiesSize(draft.storedPropertiesBytes(), given);
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
            Refusal refusal = checks.properties(loop.properties);
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
        return checks.properties(loop.properties);
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
