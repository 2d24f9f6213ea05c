package dev.perigee.replica.sync;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.Standing;

/** A master among the brokers of its name: readers may be sent to the slaves in sync. */
@ThreadSafe
public final class MasterStanding implements Standing {
    private final MasterReplication replication;
    private final boolean sendsReaders;

    /** @param sendsReaders whether readers that fall behind memory are sent to slaves at all */
    public MasterStanding(MasterReplication replication, boolean sendsReaders) {
        this.replication = replication;
        this.sendsReaders = sendsReaders;
    }

    @Override
    public boolean isReadable(long brokerId) {
        return sendsReaders && replication.inSync().stream().anyMatch(member -> member.brokerId() == brokerId);
    }
}
