package dev.perigee.protocol.stats;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of GET_BROKER_HA_STATUS (907), as stock tools read it, with members of Perigee's own that they pass over.
 *
 * @param master whether the broker is a master
 * @param masterCommitLogMaxOffset of a master: the end of its log
 * @param inSyncSlaveNums of a master: how many slaves are in sync
 * @param haConnectionInfo of a master: the slaves that are connected
 * @param haClientRuntimeInfo of a slave: how it follows; stock tools want it on a master too
 * @param role Perigee's own: the brokerRole
 * @param confirmOffset Perigee's own: up to here the log may be seen
 * @param inSync Perigee's own: the broker ids in sync, of a master
 * @param log Perigee's own: which log it is, and how often somebody began to write it
 */
public record HaStatus(
        boolean master,
        long masterCommitLogMaxOffset,
        int inSyncSlaveNums,
        List<SlaveState> haConnectionInfo,
        FollowState haClientRuntimeInfo,
        @Nullable String role,
        @Nullable Long confirmOffset,
        @Nullable List<Long> inSync,
        @Nullable LogName log) {
    public HaStatus {
        haConnectionInfo = haConnectionInfo == null ? List.of() : haConnectionInfo;
        haClientRuntimeInfo = haClientRuntimeInfo == null ? FollowState.NONE : haClientRuntimeInfo;
    }

    /**
     * A log.
     *
     * @param logId its name in hexadecimal digits; {@code 0} while it is empty
     * @param epoch the number of the epoch its end is written in
     * @param epochId the id of that epoch, as hexadecimal digits without leading zeros
     */
    public record LogName(String logId, int epoch, @Nullable String epochId) {
        private static final Comparator<String> BY_VALUE =
                Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

        /**
         * Whether this one is the same log as the other, in a later epoch. Of two epochs of one number, which were begun by two who did not
         * know of each other, the one with the larger id is called the later; where an id is not told, neither is.
         */
        public boolean isLaterThan(LogName other) {
            if (!logId.equals(other.logId) || epoch != other.epoch) {
                return logId.equals(other.logId) && epoch > other.epoch;
            }
            return epochId != null && other.epochId != null && BY_VALUE.compare(epochId, other.epochId) > 0;
        }
    }

    /**
     * A slave as its master sees it.
     *
     * @param addr where its connection comes from
     * @param slaveAckOffset up to here it holds the log
     * @param diff how many bytes it is behind the end of the log
     * @param inSync whether it counts
     * @param transferredByteInSecond how fast it takes the log
     * @param transferFromWhere up to here it was fed
     * @param brokerId Perigee's own: its id
     * @param lagMs Perigee's own: for how long the oldest message that it does not hold has been in the log; 0 when it holds all
     */
    public record SlaveState(
            String addr,
            long slaveAckOffset,
            long diff,
            boolean inSync,
            long transferredByteInSecond,
            long transferFromWhere,
            @Nullable Long brokerId,
            @Nullable Long lagMs) {}

    /**
     * A slave as it sees itself.
     *
     * @param masterAddr where it finds its master; empty while it does not know
     * @param transferredByteInSecond how fast it takes the log
     * @param maxOffset the end of its log
     * @param lastReadTimestamp when it heard its master last, wall milliseconds; 0 for never
     * @param lastWriteTimestamp when it told its master last what it holds
     * @param masterFlushOffset up to here its master has said that the log is confirmed, as far as it is here
     * @param following Perigee's own: whether its master is heard now
     */
    public record FollowState(
            String masterAddr,
            long transferredByteInSecond,
            long maxOffset,
            long lastReadTimestamp,
            long lastWriteTimestamp,
            long masterFlushOffset,
            @Nullable Boolean following) {
        /** Of a master. */
        public static final FollowState NONE = new FollowState("", 0, 0, 0, 0, 0, null);
    }
}
