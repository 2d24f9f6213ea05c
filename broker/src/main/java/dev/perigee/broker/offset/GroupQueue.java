package dev.perigee.broker.offset;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.QueueCommit;

/** One queue of a topic as one group reads it. */
@Immutable
record GroupQueue(String group, String topic, int queueId) {
    /** The queue of this commit. */
    static GroupQueue of(QueueCommit commit) {
        return new GroupQueue(commit.group(), commit.topic(), commit.queueId());
    }
}
