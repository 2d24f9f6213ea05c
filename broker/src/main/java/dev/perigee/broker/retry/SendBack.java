package dev.perigee.broker.retry;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.send.SendBackHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;

/**
 * One message on its way back.
 *
 * @param header what the consumer said
 * @param group its group as it was when the request came
 * @param reply where the answer goes
 */
@Immutable
record SendBack(SendBackHeader header, SubscriptionGroupConfig group, Reply<NoHeader> reply) {
    static SendBack of(Request<SendBackHeader> request, SubscriptionGroupConfig group, Reply<NoHeader> reply) {
        return new SendBack(request.header(), group, reply);
    }

    /** The retries there were, for a message that says it was retried so often. */
    int retries(int stored) {
        Integer told = header.reconsumeTimes();
        return told == null ? stored : told;
    }

    /** The count of the copy. */
    int nextCount(int stored) {
        Integer told = header.reconsumeTimes();
        return told == null ? stored + 1 : told;
    }

    int maxRetries() {
        Integer told = header.maxReconsumeTimes();
        return RetryTopics.limit(told == null ? group.retryMaxTimes() : told);
    }

    boolean isDeadLetter(int stored) {
        return header.delayLevel() < 0 || retries(stored) >= maxRetries();
    }

    String deadLetterReason(int stored) {
        return header.delayLevel() < 0
                ? DeadLetters.byLevel(header.delayLevel())
                : DeadLetters.tooManyRetries(retries(stored), maxRetries());
    }
}
