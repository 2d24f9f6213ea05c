package dev.perigee.broker;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerNotices;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.broker.offset.PendingResets;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.stats.Meter;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.view.Duty;

/**
 * Every ten seconds: drops dead locks and resets that are over, and samples the statistics. Within a second of it: drops a
 * client that was silent too long, so that its group is told; and while a locked queue is wanted, looks whether its lock
 * expired, and tells the group.
 */
@OwnedBy("view loop")
final class SweepDuty implements Duty {
    private static final long WANTED_LOCKS_MS = 1_000;
    private static final long CLIENTS_MS = 1_000;

    private final ClientRegistry clients;
    private final QueueLocks locks;
    private final ConsumerNotices notices;
    private final PendingResets resets;
    private final BrokerStats stats;
    private final Clock clock;
    private long dueMs = Long.MIN_VALUE;
    private long locksDueMs = Long.MIN_VALUE;
    private long clientsDueMs = Long.MIN_VALUE;

    SweepDuty(
            ClientRegistry clients,
            QueueLocks locks,
            ConsumerNotices notices,
            PendingResets resets,
            BrokerStats stats,
            Clock clock) {
        this.clients = clients;
        this.locks = locks;
        this.notices = notices;
        this.resets = resets;
        this.stats = stats;
        this.clock = clock;
    }

    @Override
    public int doWork(long nowMs) {
        return lookAtWantedLocks(nowMs) + expireClients(nowMs) + sweep(nowMs);
    }

    /** When the registry says that one may have been silent too long, or with the rest. */
    private int expireClients(long nowMs) {
        if (nowMs < clientsDueMs) {
            return 0;
        }
        long nextMs = Math.min(clients.expire(nowMs), nowMs + Meter.SAMPLE_MS);
        clientsDueMs = Math.max(nextMs, nowMs + CLIENTS_MS);
        return 1;
    }

    private int lookAtWantedLocks(long nowMs) {
        if (nowMs < locksDueMs || !locks.isAnyWanted()) {
            return 0;
        }
        locksDueMs = nowMs + WANTED_LOCKS_MS;
        locks.expireWanted(nowMs).forEach(notices::tell);
        return 1;
    }

    private int sweep(long nowMs) {
        if (nowMs < dueMs) {
            return 0;
        }
        if (dueMs != Long.MIN_VALUE) {
            locks.sweep(nowMs);
            resets.sweep();
            stats.sample(clock.wallMs());
        }
        dueMs = nowMs + Meter.SAMPLE_MS;
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        long nextMs = Math.min(dueMs, clientsDueMs);
        return locks.isAnyWanted() ? Math.min(nextMs, locksDueMs) : nextMs;
    }
}
