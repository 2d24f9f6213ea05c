package dev.perigee.broker.pull;

import dev.perigee.loop.Immutable;

/** Where a group waits: in front of a place in a queue of a topic. */
@Immutable
record QueuePlace(String group, String topic, int queueId, long offset) {}
