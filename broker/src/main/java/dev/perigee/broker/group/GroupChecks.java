package dev.perigee.broker.group;

import dev.perigee.broker.check.Bodies;
import dev.perigee.broker.check.Refusal;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.rpc.ResponseCode;
import org.jspecify.annotations.Nullable;

/** Whether a group may have this name and these numbers. */
final class GroupChecks {
    /** Most queues of a retry topic. */
    static final int MAX_RETRY_QUEUES = 1_024;

    /** retryMaxTimes: as often as wanted, or 16 for a concurrent listener. */
    static final int UNLIMITED = -1;

    private GroupChecks() {}

    static @Nullable Refusal refuse(@Nullable SubscriptionGroupConfig group) {
        if (group == null || Bodies.isBlank(group.groupName())) {
            return new Refusal(ResponseCode.INVALID_PARAMETER, "a group has no groupName");
        }
        Refusal name = refuseName(group.groupName());
        if (name != null) {
            return name;
        }
        if (group.retryMaxTimes() < UNLIMITED) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "retryMaxTimes " + group.retryMaxTimes() + " is below -1; -1 is the default of the listener");
        }
        if (group.retryQueueNums() < 0 || group.retryQueueNums() > MAX_RETRY_QUEUES) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "retryQueueNums " + group.retryQueueNums() + " is not between 0 and " + MAX_RETRY_QUEUES);
        }
        return null;
    }

    static @Nullable Refusal refuseName(@Nullable String group) {
        String wrong = GroupName.problem(group == null ? "" : group);
        return wrong == null ? null : new Refusal(ResponseCode.INVALID_PARAMETER, wrong);
    }
}
