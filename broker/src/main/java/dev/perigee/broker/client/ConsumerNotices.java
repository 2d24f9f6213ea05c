package dev.perigee.broker.client;

import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.view.GroupView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.store.view.Duty;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells every member of a consumer group that the group changed (code 40, one-way), so that it rebalances at once. The
 * first notice goes at once; what changes within {@link #GAP_MS} after it is told by one more at the end of that time, so
 * that many members that come together cost a notice each and not one for each pair. Who joins is told once more by itself
 * (see {@link Newcomers}). The duty sends what does not go at once.
 */
@ThreadSafe
public final class ConsumerNotices implements Duty {
    /** Least time between two notices of one group. */
    static final long GAP_MS = 100;

    /** Groups of which the last notice is remembered; a notice of one more goes at once, however many there are. */
    static final int MAX_GROUPS = 100_000;

    private record Told(long sinceMs, boolean isAgain) {}

    private final GroupView groups;
    private final LiveConfig config;
    private final Function<String, @Nullable ConsumerGroup> members;
    private final Clock clock;
    private final Runnable wake;
    private final ConcurrentHashMap<String, Told> told = new ConcurrentHashMap<>();
    private final Newcomers newcomers = new Newcomers();
    private final AtomicLong dueMs = new AtomicLong(Long.MAX_VALUE);

    /**
     * @param members gives a group as it is now, null when none of its members is connected
     * @param wake makes the view loop, and with it the duty, run soon
     */
    public ConsumerNotices(
            GroupView groups,
            LiveConfig config,
            Function<String, @Nullable ConsumerGroup> members,
            Clock clock,
            Runnable wake) {
        this.groups = groups;
        this.config = config;
        this.members = members;
        this.clock = clock;
        this.wake = wake;
    }

    /** As {@link ClientRegistry.ChangeListener#changed}: nobody is told when only the expressions are others. */
    public void changed(ConsumerGroup before, ConsumerGroup after) {
        if (after.isOtherwiseShared(before)) {
            tell(after.name());
            long againMs = newcomers.joined(before, after, clock.monotonicMs());
            if (againMs != Newcomers.NONE_MS) {
                wakeAt(againMs);
            }
        }
    }

    /** Something changed in the group that makes its members look again who has which queue. From any thread. */
    public void tell(String group) {
        long nowMs = clock.monotonicMs();
        if (told.size() >= MAX_GROUPS && !told.containsKey(group)) {
            wakeAt(nowMs); // it forgets those that are over
            send(group);
            return;
        }
        Told now = told.compute(group, (name, last) -> {
            boolean isOver = last == null || (nowMs - last.sinceMs() >= GAP_MS && !last.isAgain());
            return isOver ? new Told(nowMs, false) : new Told(last.sinceMs(), true);
        });
        if (now.isAgain()) {
            wakeAt(now.sinceMs() + GAP_MS);
        } else {
            send(group);
        }
    }

    private void wakeAt(long wantedMs) {
        if (dueMs.getAndAccumulate(wantedMs, Math::min) > wantedMs) {
            wake.run();
        }
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs < dueMs.get()) {
            return 0;
        }
        dueMs.set(Long.MAX_VALUE);
        int sent = tellNewcomers(nowMs);
        for (Map.Entry<String, Told> entry : told.entrySet()) {
            Told last = entry.getValue();
            if (nowMs - last.sinceMs() < GAP_MS) {
                if (last.isAgain()) {
                    dueMs.accumulateAndGet(last.sinceMs() + GAP_MS, Math::min);
                }
            } else if (!last.isAgain()) {
                told.remove(entry.getKey(), last);
            } else if (told.replace(entry.getKey(), last, new Told(nowMs, false))) {
                send(entry.getKey());
                sent++;
            }
        }
        return sent;
    }

    private int tellNewcomers(long nowMs) {
        int sent = 0;
        for (Newcomers.Newcomer due = newcomers.pollDue(nowMs); due != null; due = newcomers.pollDue(nowMs)) {
            ConsumerGroup group = wantsNotices(due.group());
            Member member = group == null ? null : group.memberOn(due.connection());
            if (member != null) {
                send(member, new ConsumerGroupHeader(due.group()));
                sent++;
            }
        }
        dueMs.accumulateAndGet(newcomers.nextDueMs(), Math::min);
        return sent;
    }

    @Override
    public long nextDeadlineMs() {
        return dueMs.get();
    }

    private void send(String name) {
        ConsumerGroup group = wantsNotices(name);
        if (group != null) {
            ConsumerGroupHeader header = new ConsumerGroupHeader(name);
            group.members().forEach(member -> send(member, header));
        }
    }

    private static void send(Member member, ConsumerGroupHeader header) {
        member.connection().oneway(Rpcs.NOTIFY_CONSUMER_IDS_CHANGED, header, null);
    }

    /** The group as it is now; null when nobody of it is connected or wants to be told. */
    private @Nullable ConsumerGroup wantsNotices(String name) {
        ConsumerGroup group = members.apply(name);
        if (group == null || !config.settings().notifyGroups() || group.messageModel() == MessageModel.BROADCASTING) {
            return null;
        }
        SubscriptionGroupConfig settings = groups.current().find(name);
        return settings == null || settings.notifyConsumerIdsChangedEnable() ? group : null;
    }
}
