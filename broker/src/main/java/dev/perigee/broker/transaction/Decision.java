package dev.perigee.broker.transaction;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.header.send.EndTransactionHeader;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.Reply;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wants to become of a half (37), and where the answer goes.
 *
 * @param header what was asked; its commitLogOffset is the half's birth
 * @param reply where the answer goes
 * @param leadership in which of this broker's leaderships the half was claimed for it; 0 before that, and of a broker in no group
 */
@Immutable
record Decision(EndTransactionHeader header, Reply<NoHeader> reply, int leadership) {
    Decision(EndTransactionHeader header, Reply<NoHeader> reply) {
        this(header, reply, 0);
    }

    /** The same with a half that was claimed in this leadership. */
    Decision claimedIn(int now) {
        return new Decision(header, reply, now);
    }

    /** The name of the half. */
    long birth() {
        return header.commitLogOffset();
    }

    /** What becomes of the half. */
    Outcome outcome() {
        return header.commitOrRollback() == SysFlag.TRANSACTION_COMMIT ? Outcome.COMMITTED : Outcome.ROLLED_BACK;
    }

    /** What is wrong with it for the frame of a half with that place in the queue of halves; null when nothing is. */
    @Nullable
    Refusal against(MessageFrame frame, long queueOffset) {
        if (!frame.hasTopic(SystemTopic.HALF)) {
            return noSuchHalf();
        }
        String group = frame.property(PropertyKey.PRODUCER_GROUP);
        if (!header.producerGroup().equals(group)) {
            return wrong("The producer group wrong: producerGroup=" + header.producerGroup() + ", the half at "
                    + birth() + " is of group " + group);
        }
        if (header.tranStateTableOffset() != queueOffset) {
            return wrong("The transaction state table offset wrong: tranStateTableOffset="
                    + header.tranStateTableOffset() + ", the half at " + birth() + " of group " + group + " has "
                    + queueOffset);
        }
        String uniqueKey = frame.property(PropertyKey.UNIQ_KEY);
        return header.msgId().equals(uniqueKey)
                ? null
                : wrong("msgId=" + header.msgId() + " is not that of the half at " + birth() + " of group " + group
                        + ", which is " + uniqueKey);
    }

    /** The refusal where no half lies. */
    Refusal noSuchHalf() {
        return wrong("The commit log offset wrong: commitLogOffset=" + birth() + ", no half of producerGroup="
                + header.producerGroup() + " with msgId=" + header.msgId() + " lies there");
    }

    /** The refusal of a half that was decided otherwise before, or of which only that is known that it was decided. */
    Refusal decidedBefore(@Nullable Outcome before) {
        return new Refusal(
                ResponseCode.ILLEGAL_OPERATION,
                "the half at commitLogOffset " + birth() + " of group " + header.producerGroup() + " cannot be "
                        + outcome().text + ": it was already " + (before == null ? "decided" : before.text));
    }

    private static Refusal wrong(String remark) {
        return new Refusal(ResponseCode.SYSTEM_ERROR, remark);
    }
}
