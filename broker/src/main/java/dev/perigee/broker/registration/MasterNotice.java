package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.config.RegistrationSettings;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.HaInfoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.store.view.Duty;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While a master waits for its slaves: tells those that NameServers know where it replicates, for one that is found by NameServers alone would never
 * come. The master itself registers only when clients may use it, since until then they read from its slaves.
 */
@OwnedBy("view loop")
public final class MasterNotice implements Duty {
    /** Between two rounds: a slave that starts meanwhile is told by the next one. */
    static final long PERIOD_MS = 500;

    private static final long MASTER_ID = 0;
    private static final Logger LOG = LoggerFactory.getLogger(MasterNotice.class);

    private final BrokerIdentity identity;
    private final RegistrationSettings settings;
    private final Members members;
    private volatile boolean on;
    private long dueMs = Long.MIN_VALUE;

    /** Of the master with this identity; tells nobody before {@link #begin}. */
    public MasterNotice(BrokerIdentity identity, RegistrationSettings settings, Members members) {
        this.identity = identity;
        this.settings = settings;
        this.members = members;
    }

    /** The master waits: slaves are told from the next pass on. Any thread. */
    public void begin() {
        on = true;
    }

    /** It waits no longer, and registers. Any thread. */
    public void end() {
        on = false;
    }

    @Override
    public int doWork(long nowMs) {
        if (!on || nowMs < dueMs) {
            return 0;
        }
        dueMs = nowMs + PERIOD_MS;
        for (String nameServer : settings.nameServers()) {
            CompletableFuture<?> unused = members.known(nameServer, identity.cluster(), identity.name())
                    .thenAccept(this::tell);
        }
        return 1;
    }

    private void tell(Map<Long, String> known) {
        HaInfoHeader place = new HaInfoHeader(identity.haAddress(), null, identity.address());
        known.forEach((id, address) -> {
            if (id != MASTER_ID && !address.equals(identity.address())) {
                CompletableFuture<?> unused = members.ask(address, Rpcs.EXCHANGE_BROKER_HA_INFO, place)
                        .whenComplete((answer, failure) -> LOG.debug(
                                "event=slave_told address={} brokerId={} answer={} failure={}",
                                address,
                                id,
                                answer,
                                String.valueOf(failure)));
            }
        });
    }

    @Override
    public long nextDeadlineMs() {
        return on ? dueMs : Long.MAX_VALUE;
    }
}
