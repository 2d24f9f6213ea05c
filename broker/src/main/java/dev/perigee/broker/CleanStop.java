package dev.perigee.broker;

import dev.perigee.broker.offset.OffsetsUpstream;
import dev.perigee.broker.registration.RegistrationDuty;
import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.RemotingServer;
import dev.perigee.remoting.call.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a broker off the network so that nobody sees a refused send. First the NameServers forget it; then peers that
 * understand it are sent away, while all others are served on until they fall silent, {@link #LINGER_MS} at most; then no
 * request is taken any more, and those under way are answered, within the time the settings give. Only after that may the
 * store refuse anything.
 */
@OwnedBy("stopping thread")
final class CleanStop {
    /**
     * How long NameServers may take to forget the broker, all asked at once. One that is alive needs milliseconds; one that is
     * not forgets the broker by itself, and must not make everybody wait.
     */
    static final long UNREGISTER_TIMEOUT_MS = 1_000;

    /** The calls end at their deadline by themselves, and say why; the wait for them is a little longer. */
    private static final long VERDICT_GRACE_MS = 200;

    /** Longest time between the going away and the last request taken. */
    static final long LINGER_MS = 1_000;

    /** Peers are silent when no request came for so long. */
    static final long SILENCE_MS = 100;

    /** The same of a member of a group whose leader is another one now: clients that look up routes every 30 s are served on until they did. */
    static final long HANDED_OVER_LINGER_MS = 35_000;

    /** The same of its peers: when nothing was handed on for so long. */
    static final long HANDED_OVER_SILENCE_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(CleanStop.class);
    /** Longest wait for the master to know that its slave stops. */
    private static final long LEAVE_MS = 1_200;

    /** Longest wait for each step of handing over to another member of a group. */
    private static final long HAND_OVER_MS = 5_000;

    /**
     * Longest time until the store is closed, with the usual {@code shutdownWaitTimeSeconds} of 10: two times the two steps of handing over,
     * the NameServers told twice, clients that go by former routes, what is under way.
     */
    static final long LONGEST_MS =
            5 * HAND_OVER_MS + UNREGISTER_TIMEOUT_MS + VERDICT_GRACE_MS + HANDED_OVER_LINGER_MS + LINGER_MS + 10_000;

    private static final long POLL_NS = 2_000_000;
    private static final int MAX_STEPS = 10_000;

    private final BrokerCore core;
    private final RemotingServer server;
    private final RegistrationDuty registration;
    private final boolean threads;
    private final Clock clock;

    CleanStop(BrokerCore core, RemotingServer server, RegistrationDuty registration, boolean threads) {
        this.core = core;
        this.server = server;
        this.registration = registration;
        this.threads = threads;
        this.clock = core.clock;
    }

    /** Does all of it and logs the last offsets. Blocks, within the times above. */
    void run(boolean handsOver) {
        ReplicationPart part = core.replication.part();
        if (handsOver) {
            part.resign();
        }
        if (handsOver && handOver()) {
            if (threads && part.wasMasterWithin(HANDED_OVER_LINGER_MS)) {
                until(() -> registration.isKnownAs(part.brokerId(core.identity)), HAND_OVER_MS);
                linger(part::handedOn, HANDED_OVER_LINGER_MS, HANDED_OVER_SILENCE_MS);
            }
            if (handOver()) { // it may have been elected again
                leave();
                return; // another one goes on with what was logged
            }
        }
        leave();
        if (core.standing.isSlave()) {
            return; // of a group whose others stop as well
        }
        CompletableFuture<Boolean> logged = new CompletableFuture<>();
        core.commits.flushAnyhow(() -> logged.complete(true));
        await(logged, core.config.network().shutdownWaitMs());
        if (threads) { // else the network is the caller's
            levelSlaves();
        }
    }

    private boolean handOver() {
        return core.replication.part().handOver(core, reached -> until(reached, HAND_OVER_MS));
    }

    /** What was confirmed here is read from slaves from now on, and whoever comes back as a slave has nothing that they lack. */
    private void levelSlaves() {
        core.store.endAppends();
        if (!until(
                core.replication.part()::areSlavesLevel, core.config.network().shutdownWaitMs())) {
            LOG.warn("event=slaves_left_behind endOffset={}", core.store.log().endOffset());
        }
    }

    /** Does all of it but logging anything: of a slave, which hands up what was committed to it while its master is heard, and says that it stops. */
    void leave(OffsetsUpstream upstream) {
        leave();
        boolean done = until(
                () -> upstream.isDone() || !core.standing.isMasterHeard(),
                core.config.network().shutdownWaitMs());
        LOG.info("event=offsets_handed_up all={} inTime={}", upstream.isDone(), done);
        CompletableFuture<?> told = core.replication.part().leave();
        if (threads) { // else the network is the caller's, and what was sent arrives
            await(told, LEAVE_MS);
        }
    }

    private void leave() {
        deregister();
        server.goAway();
        long drainMs = core.config.network().shutdownWaitMs();
        if (threads) {
            linger(() -> server.counters().requests(), LINGER_MS, SILENCE_MS);
            server.stopReading();
        }
        core.waiters.close();
        if (!until(() -> server.unanswered() == 0, drainMs)) {
            LOG.warn("event=requests_left unanswered={} waitedMs={}", server.unanswered(), drainMs);
        }
    }

    /** Takes the broker off the NameServers. Blocks, hardly more than {@link #UNREGISTER_TIMEOUT_MS} at most. */
    void deregister() {
        Deadline deadline = Deadline.after(clock, UNREGISTER_TIMEOUT_MS);
        await(registration.end(deadline), UNREGISTER_TIMEOUT_MS + VERDICT_GRACE_MS);
    }

    /** @param counted how many requests have come until now */
    private void linger(LongSupplier counted, long lingerMs, long silenceMs) {
        long endMs = clock.monotonicMs() + lingerMs;
        long requests = counted.getAsLong();
        long sinceMs = clock.monotonicMs();
        while (server.counters().openConnections() > 0) {
            long nowMs = clock.monotonicMs();
            long now = counted.getAsLong();
            if (now != requests) {
                requests = now;
                sinceMs = nowMs;
            }
            if (nowMs >= endMs || nowMs - sinceMs >= silenceMs) {
                return;
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private void await(CompletableFuture<?> future, long timeoutMs) {
        if (!threads) {
            until(future::isDone, timeoutMs);
            return;
        }
        try {
            future.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("event=stop_step_unfinished timeoutMs={} reason={}", timeoutMs, e.toString());
        }
    }

    /** Waits, or steps the store when nothing runs by itself; false when it did not come to be. */
    private boolean until(BooleanSupplier over, long timeoutMs) {
        if (!threads) {
            return core.stepUntil(over, MAX_STEPS);
        }
        long endMs = clock.monotonicMs() + timeoutMs;
        while (!over.getAsBoolean()) {
            if (clock.monotonicMs() >= endMs || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(POLL_NS);
        }
        return true;
    }
}
