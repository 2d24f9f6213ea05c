package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.store.view.Duty;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that a running master was replaced (R32): it stood still or was cut off while one of its slaves was made the master. What it goes
 * on to take nobody will read. Each NameServer is asked who has id 0 of the name, each time a little later in the registration period than
 * before, for one that keeps to the last who registered names each of two only for a part of it. Another broker counts when it says itself
 * that it is a master and writes the same log in a later epoch, or in one of the same number whose id is larger: then this one stops. Beside
 * an earlier one this one registers again, so that the other one finds it; where a NameServer keeps to one of the same number all the
 * same, this one stops. Any other second master is named in the log, and nobody
 * stops: it may be the one that is wrong.
 */
@OwnedBy("view loop")
public final class ReplacedMasterDuty implements Duty {
    private static final long MASTER_ID = 0;
    /** After the first registration: one that began at the same moment is to be found soon (R32). */
    private static final long FIRST_LOOK_MS = 3_000;

    private static final Logger LOG = LoggerFactory.getLogger(ReplacedMasterDuty.class);

    private final BrokerIdentity identity;
    private final RegistrationSettings settings;
    private final Members members;
    private final RegistrationDuty registration;
    private final Consumer<ReplacedMasterException> replaced;
    private final Supplier<HaStatus.LogName> own;
    private final AtomicBoolean told = new AtomicBoolean();
    /** NameServers that named another one in an epoch of the same number when they were asked last. */
    private final Set<String> contested = ConcurrentHashMap.newKeySet();

    private long dueMs = Long.MAX_VALUE;

    /**
     * Asks nobody before this broker has made itself known.
     *
     * @param registration tells NameServers of this broker
     * @param own the log of this broker; any thread
     * @param replaced told once who the master is now, on an event loop; must not block
     */
    public ReplacedMasterDuty(
            BrokerIdentity identity,
            RegistrationSettings settings,
            Members members,
            RegistrationDuty registration,
            Supplier<HaStatus.LogName> own,
            Consumer<ReplacedMasterException> replaced) {
        this.identity = identity;
        this.settings = settings;
        this.members = members;
        this.registration = registration;
        this.own = own;
        this.replaced = replaced;
    }

    @Override
    public int doWork(long nowMs) {
        if (!registration.isOn()) {
            return 0;
        }
        if (dueMs == Long.MAX_VALUE) {
            dueMs = nowMs
                    + Math.min(
                            FIRST_LOOK_MS, settings.periodMs()); // what an earlier run left has been replaced by then
        }
        if (nowMs < dueMs) {
            return 0;
        }
        dueMs = nowMs + settings.periodMs() + settings.periodMs() / 8;
        settings.nameServers().forEach(this::ask);
        return 1;
    }

    private void ask(String nameServer) {
        CompletableFuture<?> unused = members.known(nameServer, identity.cluster(), identity.name())
                .thenAccept(known -> {
                    String master = known.get(MASTER_ID);
                    if (identity.address().equals(master)) {
                        contested.remove(nameServer);
                    } else if (master != null) {
                        askItself(master, nameServer);
                    }
                });
    }

    private void askItself(String master, String nameServer) {
        CompletableFuture<?> unused = members.status(master).thenAccept(other -> {
            if (other.master()) {
                judge(
                        nameServer,
                        other.log(),
                        "broker " + identity.name() + " of cluster "
                                + identity.cluster() + " has another master at " + master + ", says NameServer "
                                + nameServer + ", and that one answers");
            }
        });
    }

    private void judge(String nameServer, HaStatus.@Nullable LogName theirs, String what) {
        HaStatus.LogName ours = own.get();
        if (theirs == null || !theirs.logId().equals(ours.logId()) || !isOrdered(theirs, ours)) {
            goesOn(what, ours, "the other one's log is no later one than that of this one");
            return;
        }
        boolean isKeptTo = theirs.epoch() == ours.epoch() && !contested.add(nameServer);
        if (theirs.isLaterThan(ours) || isKeptTo) {
            stops(what + " and writes the log in " + epoch(theirs), ours);
            return;
        }
        goesOn(what, ours, "the other one, in " + epoch(theirs) + ", is to stop");
        registration.again();
    }

    private static boolean isOrdered(HaStatus.LogName one, HaStatus.LogName other) {
        return one.isLaterThan(other) || other.isLaterThan(one);
    }

    private void stops(String what, HaStatus.LogName ours) {
        if (told.compareAndSet(false, true)) {
            replaced.accept(
                    new ReplacedMasterException(
                            what + "; this one, "
                                    + identity.address() + ", in " + epoch(ours)
                                    + ", stops: what it took since then only it has; start it again with brokerRole=SLAVE and a brokerId above 0"));
        }
    }

    private void goesOn(String what, HaStatus.LogName ours, String further) {
        LOG.error(
                "event=two_masters reason=\"{}; this one, {}, goes on in {}: {}\"",
                what,
                identity.address(),
                epoch(ours),
                further);
    }

    private static String epoch(HaStatus.LogName log) {
        return "epoch " + log.epoch() + " (" + log.epochId() + ")";
    }

    @Override
    public long nextDeadlineMs() {
        return dueMs;
    }
}
