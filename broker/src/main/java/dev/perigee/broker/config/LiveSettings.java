package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * The settings that may change while the broker runs (code 25). All of them change together, behind one volatile
 * reference in {@link LiveConfig}.
 *
 * @param autoCreateTopic whether unknown topics are created by a send
 * @param autoCreateGroup whether unknown groups are created by a heartbeat or pull
 * @param permission permission bits of the broker: 4 read, 2 write
 * @param defaultTopicQueues queues of TBW102, the most an automatic topic gets
 * @param traceOn whether clients are told to trace
 * @param longPolling whether pulls wait as long as they ask; else {@code shortPollingMs}
 * @param shortPollingMs wait of a pull without long polling
 * @param litePull whether code 361 is served
 * @param propertyFilter whether SQL92 subscriptions are served
 * @param notifyGroups whether consumers are told at once that their group changed
 * @param acceptSendsFromMs wall time before which sends are refused
 */
@Immutable
public record LiveSettings(
        boolean autoCreateTopic,
        boolean autoCreateGroup,
        int permission,
        int defaultTopicQueues,
        boolean traceOn,
        boolean longPolling,
        int shortPollingMs,
        boolean litePull,
        boolean propertyFilter,
        boolean notifyGroups,
        long acceptSendsFromMs) {
    /** Whether the broker may be read from. */
    public boolean readable() {
        return (permission & 4) != 0;
    }

    /** Whether the broker may be written to. */
    public boolean writable() {
        return (permission & 2) != 0;
    }
}
