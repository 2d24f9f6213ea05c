package dev.perigee.broker.transaction;

import dev.perigee.broker.transaction.HalfTimes.FirstCheck;
import dev.perigee.loop.Immutable;

/**
 * What a message that is to be committed or rolled back later wants.
 *
 * @param topic where it goes when it is committed
 * @param queueId the queue of that topic
 * @param uniqueKey its unique key, which is the transaction's id
 * @param first when its producers are asked first
 */
@Immutable
public record HalfWish(String topic, int queueId, String uniqueKey, FirstCheck first) {}
