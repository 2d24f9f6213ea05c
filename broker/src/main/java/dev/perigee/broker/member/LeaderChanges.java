package dev.perigee.broker.member;

import dev.perigee.group.GroupStanding;
import dev.perigee.loop.OwnedBy;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how often a leader of a later term was heard of. */
@OwnedBy("log loop")
public final class LeaderChanges {
    private int term;
    private final AtomicLong count = new AtomicLong();

    /** None yet. */
    public LeaderChanges() {}

    /** The node's standing is another one. */
    public void see(GroupStanding now) {
        if (now.leaderId().isPresent() && now.term() > term) {
            term = now.term();
            count.incrementAndGet();
        }
    }

    /** How often. Any thread. */
    public long count() {
        return count.get();
    }
}
