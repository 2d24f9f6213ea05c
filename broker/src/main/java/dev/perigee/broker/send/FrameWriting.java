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
import dev.perigee.store.append.AppendRequest;
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
     * Appends the message or messages of a send. The answer comes later, unless this returns why there is nothing to
     * append.
     */
    @Nullable
    Refusal append(Send send, TopicConfig topic, int wantedQueue, boolean deadLetter, boolean traceOn) {
        SendLoop loop = loops[send.request().from().loopIndex()];
        int queueId = wantedQueue >= 0 ? wantedQueue : random.applyAsInt(topic.writeQueueNums());
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
        return send.isBatch()
                ? appendBatch(loop, send, topic.topicName(), queueId, traceOn)
                : appendOne(loop, send, topic.topicName(), queueId, deadLetter, traceOn);
    }

    private @Nullable Refusal appendOne(
            SendLoop loop, Send send, String topic, int queueId, boolean deadLetter, boolean traceOn) {
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
        String uniqueKey = properties.uniqueKey();
        if (uniqueKey == null) {
            uniqueKey = uniqueIds.next();
            loop.edit.put(PropertyKey.UNIQ_KEY, uniqueKey);
        }
        loop.edit.append(shared.marks().pairs(traceOn));
        FrameDraft draft =
                loop.draft.flag(send.header().flag()).body(send.body()).properties(loop.edit);
        refusal = SendChecks.propertiesSize(draft.storedPropertiesBytes(), given);
        if (refusal != null) {
            return refusal;
        }
        ByteBuffer space = loop.appender.reserve(draft.sizeBytes());
        if (space == null) {
            return Appends.refusal(loop.appender.refusal());
        }
        draft.writeTo(space);
        loop.appender.submit(new AppendRequest(
                topic, queueId, 1, properties.waitForStore(), new SendCompletion(shared, send, uniqueKey, traceOn)));
        return null;
    }

    private @Nullable Refusal appendBatch(SendLoop loop, Send send, String topic, int queueId, boolean traceOn) {
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
            if (refusal != null) {
                return refusal;
            }
            PropertyText stored = loop.properties.needsEdit()
                    ? loop.edit.load(given, OWN_PROPERTIES).toText()
                    : given;
            properties.add(stored);
            FrameDraft draft = loop.draft.body(batch.body()).properties(stored);
            refusal = SendChecks.propertiesSize(draft.storedPropertiesBytes(), given);
            if (refusal != null) {
                return refusal;
            }
            sizeBytes += draft.sizeBytes();
        }
        loop.properties.scan(propertiesOf(send.header()));
        Refusal refusal = checks.properties(loop.properties);
        return refusal != null
                ? refusal
                : writeBatch(loop, send, new Batch(topic, queueId, batch, properties, sizeBytes), traceOn);
    }

    private record Batch(String topic, int queueId, BatchBody body, List<PropertyText> properties, int sizeBytes) {}

    private @Nullable Refusal writeBatch(SendLoop loop, Send send, Batch batch, boolean traceOn) {
        ByteBuffer space = loop.appender.reserve(batch.sizeBytes());
        if (space == null) {
            return Appends.refusal(loop.appender.refusal());
        }
        BatchBody body = batch.body();
        body.rewind();
        for (int i = 0; body.next(); i++) {
            loop.draft
                    .flag(body.flag())
                    .body(body.body())
                    .properties(batch.properties().get(i))
                    .writeTo(space);
        }
        loop.appender.submit(new AppendRequest(
                batch.topic(),
                batch.queueId(),
                body.count(),
                loop.properties.waitForStore(),
                new SendCompletion(shared, send, loop.properties.uniqueKey(), traceOn)));
        return null;
    }

    private static PropertyText propertiesOf(SendMessageHeader header) {
        PropertyText properties = header.properties();
        return properties == null ? PropertyText.EMPTY : properties;
    }
}
