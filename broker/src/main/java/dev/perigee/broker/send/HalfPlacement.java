package dev.perigee.broker.send;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.timer.DueTime;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.transaction.HalfFrames;
import dev.perigee.broker.transaction.HalfTimes;
import dev.perigee.broker.transaction.HalfWish;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.SystemTopic;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Hides a message that is half of a transaction until it is committed; what it says of a delay counts only then. Runs on the event
 * loop of the send's connection.
 */
@ThreadSafe
final class HalfPlacement {
    private final HalfTimes halves;
    private final DueTimes times;

    HalfPlacement(HalfTimes halves, DueTimes times) {
        this.halves = halves;
        this.times = times;
    }

    /**
     * Rewrites what is prepared in the loop for the place where halves are stored.
     *
     * @return why it is not taken; null when it is
     */
    @Nullable
    Refusal place(SendLoop loop, Send send) {
        PropertyText given = Objects.requireNonNullElse(send.header().properties(), PropertyText.EMPTY);
        Refusal refusal = refuse(loop.properties, given);
        if (refusal != null) {
            return refusal;
        }
        HalfWish wish = new HalfWish(
                loop.topic,
                loop.queueId,
                Objects.requireNonNull(loop.uniqueKey, "every single message has one"),
                halves.firstCheck(given.get(PropertyKey.CHECK_IMMUNITY_TIME)));
        loop.growthBytes = HalfFrames.hide(loop.draft, loop.edit, wish);
        loop.topic = SystemTopic.HALF;
        loop.queueId = HalfFrames.QUEUE_ID;
        return null;
    }

    private @Nullable Refusal refuse(SendProperties properties, PropertyText given) {
        if (halves.rejected()) {
            return new Refusal(
                    ResponseCode.NO_PERMISSION,
                    "property " + PropertyKey.TRANSACTION_PREPARED
                            + "=true: rejectTransactionMessage is true on this broker");
        }
        String group = given.get(PropertyKey.PRODUCER_GROUP);
        if (group == null || group.isBlank()) {
            return SendChecks.illegal("property " + PropertyKey.PRODUCER_GROUP
                    + " is missing or empty: nobody could be asked what became of the transaction");
        }
        if (properties.hasWish() && times.of(properties.wish()) instanceof DueTime.Bad bad) {
            return SendChecks.illegal("property " + bad.remark());
        }
        return HalfTimes.refuse(given);
    }
}
