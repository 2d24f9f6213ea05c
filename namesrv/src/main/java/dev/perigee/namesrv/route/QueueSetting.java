package dev.perigee.namesrv.route;

import dev.perigee.loop.Immutable;

/**
 * How many queues one broker has for a topic, and what may be done with them.
 *
 * @param readQueues queues that consumers see
 * @param writeQueues queues that producers see
 * @param perm permission bits of the topic on that broker
 * @param topicSysFlag system flag of the topic
 */
@Immutable
public record QueueSetting(int readQueues, int writeQueues, int perm, int topicSysFlag) {
    /** Permission bit: producers may write. */
    static final int WRITE = 2;

    /** Permission to read and to write. */
    static final int READ_WRITE = 6;

    boolean isWritable() {
        return (perm & WRITE) != 0;
    }

    QueueSetting withPerm(int newPerm) {
        return new QueueSetting(readQueues, writeQueues, newPerm, topicSysFlag);
    }

    QueueSetting withoutWrite() {
        return withPerm(perm & ~WRITE);
    }
}
