package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.store.view.Duty;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that a running master was replaced (R32): it stood still or was cut off while one of its slaves was made the master. What it goes
 * on to take nobody will read. Once in a registration period each NameServer is asked who has id 0 of the name; another broker counts when
 * it says itself that it is a master and writes the same log in a later epoch. Any other second master is named in the log, and
 * nobody stops: it may be the one that is wrong.
 */
@OwnedBy("view loop")
public final class ReplacedMasterDuty implements Duty {
    private static final long MASTER_ID = 0;
    private static final Logger LOG = LoggerFactory.getLogger(ReplacedMasterDuty.class);

    private final BrokerIdentity identity;
    private final RegistrationSettings settings;
    private final Members members;
    private final BooleanSupplier registered;
    private final Consumer<ReplacedMasterException> replaced;
    private final Supplier<HaStatus.LogName> own;
    private final AtomicBoolean told = new AtomicBoolean();

    private long dueMs = Long.MAX_VALUE;

    /**
     * Asks nobody before this broker has made itself known.
     *
     * @param registered whether NameServers were told of this broker
     * @param own the log of this broker; any thread
     * @param replaced told once who the master is now, on an event loop; must not block
     */
    public ReplacedMasterDuty(
            BrokerIdentity identity,
            RegistrationSettings settings,
            Members members,
            BooleanSupplier registered,
            Supplier<HaStatus.LogName> own,
            Consumer<ReplacedMasterException> replaced) {
        this.identity = identity;
        this.settings = settings;
        this.members = members;
        this.registered = registered;
        this.own = own;
        this.replaced = replaced;
    }

    @Override
    public int doWork(long nowMs) {
        if (!registered.getAsBoolean()) {
            return 0;
        }
        if (dueMs == Long.MAX_VALUE) {
            dueMs = nowMs + settings.periodMs(); // what an earlier run left behind has been replaced by then
        }
        if (nowMs < dueMs) {
            return 0;
        }
        dueMs = nowMs + settings.periodMs();
        settings.nameServers().forEach(this::ask);
        return 1;
    }

    private void ask(String nameServer) {
        CompletableFuture<?> unused = members.known(nameServer, identity.cluster(), identity.name())
                .thenAccept(known -> {
                    String master = known.get(MASTER_ID);
                    if (master != null && !master.equals(identity.address())) {
                        askItself(master, nameServer);
                    }
                });
    }

    private void askItself(String master, String nameServer) {
        CompletableFuture<?> unused = members.status(master).thenAccept(other -> {
            if (other.master()) {
                judge(
                        other,
                        "broker " + identity.name() + " of cluster "
                                + identity.cluster() + " has another master at " + master + ", says NameServer "
                                + nameServer + ", and that one answers");
            }
        });
    }

    /** A NameServer that keeps to the last who registered, as stock ones do, names the one that is right no sooner than the other. */
    private void judge(HaStatus other, String what) {
        HaStatus.LogName theirs = other.log();
        if (theirs == null || !theirs.isLaterThan(own.get())) {
            LOG.error(
                    "event=two_masters reason=\"{}; its log is no later one than that of this one, {}\"",
                    what,
                    identity.address());
        } else if (told.compareAndSet(false, true)) {
            replaced.accept(
                    new ReplacedMasterException(
                            what + " and writes the log in epoch " + theirs.epoch()
                                    + "; this one, " + identity.address() + ", in epoch "
                                    + own.get().epoch()
                                    + ", stops: what it took since then only it has; start it again with brokerRole=SLAVE and a brokerId above 0"));
        }
    }

    @Override
    public long nextDeadlineMs() {
        return dueMs;
    }
}
