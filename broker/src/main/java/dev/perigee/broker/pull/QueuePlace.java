package dev.perigee.broker.pull;

import dev.perigee.loop.Immutable;

/** A place in a queue of a topic. */
@Immutable
record QueuePlace(String topic, int queueId, long offset) {}
