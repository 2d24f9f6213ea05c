package dev.perigee.broker.send;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.retry.RetryRoute;
import dev.perigee.broker.timer.DueTime;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.timer.RecallHash;
import dev.perigee.broker.timer.WaitingFrames;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.RecallHandle;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides where a single message is stored that is no dead letter: in the queue it asks for, in one by its priority, or where
 * it waits for its time. Runs on the event loop of the send's connection.
 */
@ThreadSafe
final class Placement {
    private final DueTimes times;
    private final String brokerName;
    private final HalfPlacement halves;

    /** @param brokerName what recall handles name */
    Placement(DueTimes times, String brokerName, HalfPlacement halves) {
        this.times = times;
        this.brokerName = brokerName;
        this.halves = halves;
    }

    /**
     * Rewrites what is prepared in the loop for the place where it is stored, and says there what the answer tells of it.
     *
     * @return why it cannot be stored anywhere; null when it can
     */
    @Nullable
    Refusal place(SendLoop loop, Send send) {
        SendProperties properties = loop.properties;
        if (properties.half() && !isRetry(properties, send.header())) {
            return halves.place(loop, send);
        }
        if (!properties.half() && SysFlag.transaction(send.header().sysFlag()) != 0) {
            return SendChecks.illegal("sysFlag " + send.header().sysFlag() + " says half of a transaction, property "
                    + PropertyKey.TRANSACTION_PREPARED + "=true does not");
        }
        if (properties.hasWish()) {
            DueTime due = times.of(properties.wish());
            if (due instanceof DueTime.Bad bad) {
                return SendChecks.illegal("property " + bad.remark());
            }
            if (due instanceof DueTime.At at) {
                delay(loop, at, !RetryRoute.isRetry(send.header()));
            }
        }
        if (properties.priority() >= 0) {
            prefer(loop, properties);
        }
        return null;
    }

    /**
     * A committed message that failed may still say that it was a half, and always has a delay level then (broker-client §1.1, 10); no
     * other delay makes a half an ordinary message, which would be delivered without a commit.
     */
    private static boolean isRetry(SendProperties properties, SendMessageHeader header) {
        return header.reconsumeTimes() > 0
                && properties.hasWish()
                && properties.wish().hasLevel();
    }

    private void delay(SendLoop loop, DueTime.At due, boolean recallable) {
        String key = Objects.requireNonNull(loop.uniqueKey, "every single message has one");
        long hash = RecallHash.NONE;
        if (recallable && RecallHandle.canName(key)) {
            hash = RecallHash.of(loop.topic, key, due.wallMs());
            loop.recallHandle = new RecallHandle(loop.topic, brokerName, due.wallMs() + 1, key).text();
        }
        loop.growthBytes = WaitingFrames.delay(loop.draft, loop.edit, loop.topic, loop.queueId, due, hash);
        loop.topic = WaitingFrames.topicOf(due);
        loop.queueId = WaitingFrames.queueOf(due);
    }

    /** Among queues the priority is one's number: it counts only where nothing else says which queue it is. */
    private static void prefer(SendLoop loop, SendProperties properties) {
        if (properties.hasWish() || properties.hasShardingKey()) {
            loop.draft.properties(loop.edit.remove(PropertyKey.PRIORITY));
            return;
        }
        loop.queueId = Math.min(properties.priority(), Math.max(1, loop.writeQueues) - 1);
        loop.askedQueue = loop.queueId;
        loop.draft.queueId(loop.queueId);
    }
}
