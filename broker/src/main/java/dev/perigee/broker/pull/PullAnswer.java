package dev.perigee.broker.pull;

import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import org.jspecify.annotations.Nullable;

/**
 * What a pull is answered.
 *
 * @param code response code
 * @param status how the read ended; the remark
 * @param header offsets
 * @param payload the messages, to be handed on once
 */
record PullAnswer(
        int code,
        ReadStatus status,
        PullMessageResponse header,
        @Nullable Payload payload) {
    static PullMessageResponse header(PullChecks.Plan plan, long nextOffset, long minOffset, long maxOffset) {
        int topicFlag = plan.topic() == null ? 0 : plan.topic().topicSysFlag();
        int groupFlag = plan.group() == null ? 0 : plan.group().groupSysFlag();
        return new PullMessageResponse(0, nextOffset, minOffset, maxOffset, null, topicFlag, groupFlag, null);
    }

    /** The same offsets, with "look on from there" instead of "nothing new". */
    PullAnswer withNothingMatched() {
        ReadStatus nothing = ReadStatus.NO_MATCHED_MESSAGE;
        return new PullAnswer(nothing.code(header.nextBeginOffset()), nothing, header, null);
    }

    /** The same, with the broker that is to be pulled from next. */
    PullAnswer withSuggestion(long brokerId) {
        return brokerId == header.suggestWhichBrokerId()
                ? this
                : new PullAnswer(code, status, with(brokerId, header.nextBeginOffset()), payload);
    }

    /** Nothing, as another code and from another offset on; the remark stays. What was read is given back. */
    PullAnswer asNothing(int otherCode, long nextOffset, long brokerId) {
        if (payload != null) {
            payload.release();
        }
        return new PullAnswer(otherCode, status, with(brokerId, nextOffset), null);
    }

    private PullMessageResponse with(long brokerId, long nextOffset) {
        return new PullMessageResponse(
                brokerId,
                nextOffset,
                header.minOffset(),
                header.maxOffset(),
                header.offsetDelta(),
                header.topicSysFlag(),
                header.groupSysFlag(),
                header.forbiddenType());
    }

    void send(Reply<PullMessageResponse> reply) {
        reply.send(code, status.name(), header, payload);
    }
}
