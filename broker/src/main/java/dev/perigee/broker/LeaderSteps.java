package dev.perigee.broker;

import dev.perigee.broker.member.Leadership;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.AppendResult;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a broker begins when it leads its group, and lets go of when it leads no more (R33). */
@OwnedBy("view loop")
final class LeaderSteps implements Leadership.Steps {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderSteps.class);

    /** No longer are questions for offsets held: consumers ask again then, and would never be answered. */
    private static final long MOST_HELD_MS = 4_000;

    private final BrokerCore core;
    private final long electionTimeoutMs;
    private final BooleanSupplier knownToAll;

    /**
     * @param electionTimeoutMs for so long a leader before may have believed that it leads
     * @param knownToAll whether none believes so any more
     */
    LeaderSteps(BrokerCore core, long electionTimeoutMs, BooleanSupplier knownToAll) {
        this.core = core;
        this.electionTimeoutMs = electionTimeoutMs;
        this.knownToAll = knownToAll;
    }

    @Override
    public boolean mayBegin() {
        return core.hasNoColdWork();
    }

    @Override
    public void begin(Runnable begun) {
        core.timers.endClaims();
        core.transactions.beginAnew();
        core.views.goOnAfterAnother(core.timerClock);
        core.commits.drop();
        core.pullPositions.beginAnew(core.clock.monotonicMs());
        core.commits
                .heldQueries()
                .begin(core.clock.monotonicMs() + Math.min(MOST_HELD_MS, electionTimeoutMs), knownToAll);
        core.locks.beginAnew(core.groups.current().byName().keySet(), core.clock.monotonicMs(), electionTimeoutMs);
        core.alignTemplate();
        List<TopicConfig> wanted = core.startTopics();
        int[] open = {wanted.size()}; // on the view loop only
        for (TopicConfig topic : wanted) {
            core.topicCreation.create(topic, result -> {
                if (result != AppendResult.APPENDED) {
                    LOG.warn("event=own_topic_not_made topic={} result={}", topic.topicName(), result);
                }
                if (--open[0] == 0) {
                    begun.run();
                    core.wakeViews();
                }
            });
        }
    }

    @Override
    public void end() {
        core.commits.drop(); // before who waits for them is told that they are not logged
        core.desk.masterNoMore();
        core.transactions.masterNoMore();
        core.waiters.wakeAll();
        core.locks.beginAnew(List.of(), core.clock.monotonicMs(), 0);
        core.wakeViews();
    }
}
