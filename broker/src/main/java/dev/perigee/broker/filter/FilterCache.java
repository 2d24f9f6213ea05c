package dev.perigee.broker.filter;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.rpc.ResponseCode;

/** Makes filters of subscriptions. */
@ThreadSafe
public final class FilterCache {
    /** The filter of a subscription, or why there is none. From any thread. */
    public FilterResult get(SubscriptionData subscription) {
        return ExpressionType.isTag(subscription.expressionType())
                ? new FilterResult.Usable(TagFilter.of(subscription))
                : new FilterResult.Unusable(new Refusal(
                        ResponseCode.SYSTEM_ERROR,
                        "The broker does not support consumer to filter message by " + subscription.expressionType()
                                + " yet, only by TAG"));
    }
}
