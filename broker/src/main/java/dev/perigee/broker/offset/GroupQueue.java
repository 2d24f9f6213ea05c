package dev.perigee.broker.offset;

import dev.perigee.loop.Immutable;

/** One queue of a topic as one group reads it. */
@Immutable
record GroupQueue(String group, String topic, int queueId) {}
