package dev.perigee.replica;

import dev.perigee.protocol.header.replica.HelloAnswer;
import dev.perigee.protocol.header.replica.HelloHeader;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether two brokers may replicate with each other, by what they say of themselves. Every refusal names both sides' values;
 * who refuses logs it, and so does who is refused. Pure functions.
 */
public final class HelloCheck {
    /** The log id, node id or epoch id of who has none. */
    public static final String NONE = "0";

    private HelloCheck() {}

    /**
     * As the sender sees it.
     *
     * @param own what the sender would answer
     * @return why the replica is not taken in; empty when it is
     */
    public static Optional<String> refusal(HelloAnswer own, HelloHeader theirs) {
        return first(
                names(own, theirs.clusterName(), theirs.brokerName()),
                twoMasters(own, theirs),
                notAReplica(theirs),
                mirror(own, theirs),
                format(own, theirs),
                otherLog(own, theirs),
                longer(own, theirs),
                tooOld(own, theirs));
    }

    /** Whether a replica is refused for nothing but that its log ends before the sender's first byte: it may fill itself anew. */
    public static boolean mustRefill(HelloAnswer own, HelloHeader theirs) {
        String tooOld = tooOld(own, theirs);
        return tooOld != null && refusal(own, theirs).equals(Optional.of(tooOld));
    }

    /** Whether a replica that is refused may speak another form of the stream, which says nothing of its log; as the sender sees it. */
    public static boolean differsInFormat(HelloAnswer own, HelloHeader theirs) {
        return format(own, theirs) != null;
    }

    /**
     * As a sender sees it that has not begun its epoch yet, and asks the replica for what it has: only who they are counts then. A log that
     * is empty is no other one than the replica's: whether one is begun beside that is not the replica's fault.
     *
     * @return why nothing is asked of the replica; empty when something is
     */
    public static Optional<String> stranger(HelloAnswer own, HelloHeader theirs) {
        return first(
                names(own, theirs.clusterName(), theirs.brokerName()),
                twoMasters(own, theirs),
                notAReplica(theirs),
                mirror(own, theirs),
                format(own, theirs),
                own.startOffset() == own.endOffset() ? null : otherLog(own, theirs));
    }

    /**
     * As the replica sees the answer of who should be its master.
     *
     * @param own what the replica said
     * @return why the replica does not follow; empty when it does
     */
    public static Optional<String> refusal(HelloHeader own, HelloAnswer theirs) {
        return first(
                names(theirs, own.clusterName(), own.brokerName()),
                theirs.brokerId() == 0
                        ? null
                        : "brokerId of the sender is " + theirs.brokerId() + ", wanted 0, the master",
                otherLog(theirs, own),
                longer(theirs, own));
    }

    /**
     * As the replica sees it, of a sender that fits otherwise.
     *
     * @return why the replica does not understand what it would send; empty when it does
     */
    public static Optional<String> unknownFormat(HelloHeader own, HelloAnswer theirs) {
        return theirs.format() > own.format()
                ? Optional.of("format of the stream: replica " + own.format() + ", master " + theirs.format())
                : Optional.empty();
    }

    private static Optional<String> first(@Nullable String... refusals) {
        for (String refusal : refusals) {
            if (refusal != null) {
                return Optional.of(refusal);
            }
        }
        return Optional.empty();
    }

    private static @Nullable String names(HelloAnswer master, String cluster, String name) {
        if (!master.clusterName().equals(cluster)) {
            return "brokerClusterName: replica " + cluster + ", master " + master.clusterName();
        }
        return master.brokerName().equals(name)
                ? null
                : "brokerName: replica " + name + ", master " + master.brokerName();
    }

    private static @Nullable String twoMasters(HelloAnswer own, HelloHeader theirs) {
        return theirs.brokerId() == own.brokerId()
                ? "two brokers " + own.brokerName() + " with brokerId " + own.brokerId() + ": node " + theirs.nodeId()
                        + " and node " + own.nodeId()
                : null;
    }

    private static @Nullable String notAReplica(HelloHeader theirs) {
        return theirs.brokerId() > 0 ? null : "brokerId of a replica is above 0, not " + theirs.brokerId();
    }

    /** A copied data folder. */
    private static @Nullable String mirror(HelloAnswer own, HelloHeader theirs) {
        return theirs.nodeId().equals(own.nodeId())
                ? "node id " + own.nodeId() + " of brokerId " + theirs.brokerId()
                        + " is the master's own: one of the two data folders is a copy: delete the file node-id in the copy while its"
                        + " broker is stopped"
                : null;
    }

    private static @Nullable String format(HelloAnswer own, HelloHeader theirs) {
        if (theirs.format() > own.format()) {
            return "format of the stream: replica " + theirs.format() + ", master " + own.format();
        }
        return theirs.featureLevel() < own.featureLevel()
                ? "feature level: replica " + theirs.featureLevel() + ", log of the master " + own.featureLevel()
                : null;
    }

    private static @Nullable String otherLog(HelloAnswer master, HelloHeader replica) {
        return replica.logId().equals(NONE) || replica.logId().equals(master.logId())
                ? null
                : "log id: replica " + replica.logId() + " (bytes " + replica.startOffset() + " to "
                        + replica.endOffset() + "), master " + master.logId();
    }

    /** What follows the replica's end was deleted on the master. */
    private static @Nullable String tooOld(HelloAnswer master, HelloHeader replica) {
        return !replica.logId().equals(NONE) && replica.endOffset() < master.startOffset()
                ? "the replica's log ends at " + replica.endOffset() + ", the master's begins at "
                        + master.startOffset() + ": it fills itself anew at its next start"
                : null;
    }

    /** What the replica has and the master has not must not be cut by a hello. */
    private static @Nullable String longer(HelloAnswer master, HelloHeader replica) {
        boolean sameEpoch =
                replica.lastEpoch() == master.epoch() && Objects.equals(replica.lastEpochId(), master.epochId());
        if (sameEpoch && replica.endOffset() > master.endOffset()) {
            return "end in epoch " + master.epoch() + ": replica " + replica.endOffset() + ", master "
                    + master.endOffset();
        }
        if (replica.lastEpoch() > master.epoch()) {
            return "last epoch: replica " + replica.lastEpoch() + ", master " + master.epoch();
        }
        return replica.confirmOffset() > master.endOffset()
                ? "confirm offset the replica knows of is " + replica.confirmOffset() + ", the master's log ends at "
                        + master.endOffset() + ": to go on without what only the replica has, empty its folder"
                : null;
    }
}
