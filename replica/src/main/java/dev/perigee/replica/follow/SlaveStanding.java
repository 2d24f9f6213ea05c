package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.Standing;
import java.util.Optional;

/**
 * A slave among the brokers of its name: it follows its master, and may be read when it has forgotten nothing. One that its master does not take in may
 * not: its log may be another one, with other messages at the offsets of consumers. That counts until it follows, also when the master
 * is gone.
 */
@ThreadSafe
public final class SlaveStanding implements Standing {
    private final long brokerId;
    private final MasterLink link;
    private final Restoring restoring;
    private final boolean besideMaster;

    /** @param besideMaster whether messages are read from it while its master is heard */
    public SlaveStanding(long brokerId, MasterLink link, Restoring restoring, boolean besideMaster) {
        this.brokerId = brokerId;
        this.link = link;
        this.restoring = restoring;
        this.besideMaster = besideMaster;
    }

    @Override
    public boolean isSlave() {
        return true;
    }

    @Override
    public boolean isMasterHeard() {
        return link.isFollowing();
    }

    @Override
    public Optional<String> notYet() {
        Optional<String> refusal = link.refusal();
        return refusal.isPresent() ? refusal.map(why -> "it and its master do not fit: " + why) : restoring.notYet();
    }

    @Override
    public boolean isReadBesideMaster() {
        return besideMaster;
    }

    /** Itself: of others it knows nothing. */
    @Override
    public boolean isReadable(long otherId) {
        return besideMaster && otherId == brokerId;
    }
}
