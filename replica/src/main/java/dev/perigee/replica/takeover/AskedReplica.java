package dev.perigee.replica.takeover;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.protocol.header.replica.HelloHeader;
import dev.perigee.remoting.Connection;
import dev.perigee.replica.HelloCheck;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.LogExtent;
import java.util.Comparator;
import java.util.Optional;

/** A replica that said hello to a master that starts, and what the master knows of its log. */
@OwnedBy("event loop 0")
final class AskedReplica {
    /** The farthest last: a later epoch counts more than any number of bytes of an earlier one. */
    static final Comparator<AskedReplica> BY_ADVANCE = Comparator.<AskedReplica>comparingInt(
                    replica -> replica.hello.lastEpoch())
            .thenComparingLong(replica -> replica.hello.endOffset());

    /** What was found out. */
    enum Finding {
        /** Nothing yet. */
        NEW,
        /** Where both logs part is being asked for. */
        OPEN,
        /** It has nothing that could be taken over. */
        NOTHING_MORE,
        /** Its log goes on where the master's ends. */
        AHEAD,
        /** Its log parted from the master's, and has what must not be given up. */
        ANOTHER_BRANCH,
        /** It has a fact of a later release, which this one does not understand (R22). */
        LATER_RELEASE
    }

    private final Connection connection;
    private final HelloHeader hello;
    private Finding finding = Finding.NEW;

    AskedReplica(Connection connection, HelloHeader hello) {
        this.connection = connection;
        this.hello = hello;
    }

    Connection connection() {
        return connection;
    }

    HelloHeader hello() {
        return hello;
    }

    InSyncMember member() {
        return new InSyncMember(hello.brokerId(), hello.nodeId());
    }

    Finding finding() {
        return finding;
    }

    void found(Finding what) {
        finding = what;
    }

    /** Whether it is there, or what it has is known: that it parted, or has nothing, stays so when it goes. */
    boolean isHeard() {
        return finding == Finding.NOTHING_MORE || finding == Finding.ANOTHER_BRANCH || connection.isOpen();
    }

    /** Whether it has a log. */
    boolean hasLog() {
        return !hello.logId().equals(HelloCheck.NONE);
    }

    /** Whether what it has is, as it says, of that log. */
    boolean isOfLog(long logId) {
        return hello.logId().equals(Long.toHexString(logId));
    }

    /** Whether another hello over the same connection says nothing new. */
    boolean saysTheSame(Connection other, HelloHeader again) {
        return connection.equals(other)
                && hello.session() == again.session()
                && hello.endOffset() == again.endOffset()
                && hello.lastEpoch() == again.lastEpoch();
    }

    /** Whether it is the same process that says hello anew, or one that is gone; of two over a folder and its copy either may have more (R6). */
    boolean isReplacedBy(AskedReplica other) {
        return member().equals(other.member()) && (hello.run() == other.hello.run() || !connection.isOpen());
    }

    /** Whether its log has anything that one of this extent has not, be it instead of something else. */
    boolean mayHaveMoreThan(LogExtent own) {
        if (!hasLog()) {
            return false;
        }
        Optional<Epoch> last = own.epochs().last();
        int number = last.map(Epoch::number).orElse(0);
        String id = Long.toHexString(last.map(Epoch::id).orElse(0L));
        boolean isLonger = hello.endOffset() > own.endOffset() || !id.equals(hello.lastEpochId());
        return hello.lastEpoch() > number || (hello.lastEpoch() == number && isLonger);
    }
}
