package dev.perigee.broker.send;

import dev.perigee.broker.check.Admission;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.SendSettings;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.broker.retry.RetryRoute;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.timer.DueTimes;
import dev.perigee.broker.transaction.HalfTimes;
import dev.perigee.broker.view.GroupView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.UniqueId;
import dev.perigee.store.append.Appender;
import dev.perigee.store.disk.DiskSpace;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** The collaborators of a send. */
@Immutable
public final class SendParts {
    private final RetryRoute retryRoute;
    private final SendChecks checks;
    private final FrameWriting writing;
    private final BrokerStats stats;

    private SendParts(RetryRoute retryRoute, SendChecks checks, FrameWriting writing, BrokerStats stats) {
        this.retryRoute = retryRoute;
        this.checks = checks;
        this.writing = writing;
        this.stats = stats;
    }

    /**
     * What frames are made of.
     *
     * @param identity who stores
     * @param settings limits and region
     * @param appenders one per event loop, by its index
     * @param uniqueIds makes keys for messages that have none
     * @param times decides when messages are due that wait
     * @param halves decides when halves of transactions are checked
     * @param random a number from 0 below its argument
     */
    public record Making(
            BrokerIdentity identity,
            SendSettings settings,
            List<Appender> appenders,
            UniqueId uniqueIds,
            DueTimes times,
            HalfTimes halves,
            IntUnaryOperator random) {
        public Making {
            appenders = List.copyOf(appenders);
        }
    }

    /**
     * What sends are checked against.
     *
     * @param groups consumer groups, for retry topics
     * @param locks queue locks, which tell ordered groups
     * @param admission the limit of waiting
     * @param space what is free on the disk
     */
    public record Checking(GroupView groups, QueueLocks locks, Admission admission, Supplier<DiskSpace> space) {}

    /** The parts, wired together; one per broker. */
    public static SendParts of(Making making, Checking checking, BrokerStats stats, Clock clock) {
        SendChecks checks = new SendChecks(making.settings(), checking.admission(), clock);
        StoreMarks marks = new StoreMarks(making.identity(), making.settings().region());
        SendLoop[] loops = making.appenders().stream().map(SendLoop::new).toArray(SendLoop[]::new);
        FrameWriting writing = new FrameWriting(
                loops,
                checks,
                new SendCompletion.Shared(marks, stats, clock, making.settings().maxSendWaitMs(), checking.space()),
                making.uniqueIds(),
                making.random(),
                new Placement(
                        making.times(), making.identity().name(), new HalfPlacement(making.halves(), making.times())));
        return new SendParts(new RetryRoute(checking.groups(), checking.locks(), clock), checks, writing, stats);
    }

    RetryRoute retryRoute() {
        return retryRoute;
    }

    SendChecks checks() {
        return checks;
    }

    FrameWriting writing() {
        return writing;
    }

    BrokerStats stats() {
        return stats;
    }
}
