package dev.perigee.broker;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.broker.stats.Meter;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.store.view.Duty;

/** Every ten seconds: drops silent clients and dead locks, and samples the statistics. */
@OwnedBy("view loop")
final class SweepDuty implements Duty {
    private final ClientRegistry clients;
    private final QueueLocks locks;
    private final BrokerStats stats;
    private final Clock clock;
    private long dueMs = Long.MIN_VALUE;

    SweepDuty(ClientRegistry clients, QueueLocks locks, BrokerStats stats, Clock clock) {
        this.clients = clients;
        this.locks = locks;
        this.stats = stats;
        this.clock = clock;
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs < dueMs) {
            return 0;
        }
        if (dueMs != Long.MIN_VALUE) {
            clients.expire(nowMs);
            locks.sweep(nowMs);
            stats.sample(clock.wallMs());
        }
        dueMs = nowMs + Meter.SAMPLE_MS;
        return 1;
    }

    @Override
    public long nextDeadlineMs() {
        return dueMs;
    }
}
