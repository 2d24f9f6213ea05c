package dev.perigee.broker;

import dev.perigee.broker.member.Leadership;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.AppendResult;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a broker begins when it leads its group, and lets go of when it leads no more (R33). */
@OwnedBy("view loop")
final class LeaderSteps implements Leadership.Steps {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderSteps.class);

    private final BrokerCore core;
    private final long electionTimeoutMs;

    /** @param electionTimeoutMs for so long a leader before may have believed that it leads */
    LeaderSteps(BrokerCore core, long electionTimeoutMs) {
        this.core = core;
        this.electionTimeoutMs = electionTimeoutMs;
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
        core.commits.hold(core.clock.monotonicMs() + electionTimeoutMs);
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
        core.waiters.wakeAll();
        core.locks.beginAnew(List.of(), core.clock.monotonicMs(), 0);
        core.wakeViews();
    }
}
