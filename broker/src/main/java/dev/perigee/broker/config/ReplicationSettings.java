package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import java.util.List;

/**
 * With whom this broker replicates, and what a master asks of its replicas.
 *
 * @param on whether the replication port is opened, or a master is followed
 * @param role master or slave
 * @param masterAddress of a slave: the replication port of its master, {@code host:port}; empty on a master, and where the
 *     NameServers are asked for it
 * @param inSyncReplicas copies that make a message acknowledged by a synchronous master
 * @param minInSyncReplicas copies without which nothing is appended
 * @param timeoutMs how long a send waits for replicas
 * @param maxGapBytes a replica that is farther behind is not in sync
 * @param maxSilenceMs a replica not heard for longer is not in sync
 * @param slaveRead whether readers that fall behind memory are sent to a slave in sync
 * @param acceptLoss whether a synchronous master starts without the replicas that its log names
 * @param catchUpBytesPerSec how fast a replica that is far behind is fed; 0 for as fast as it goes
 */
@Immutable
public record ReplicationSettings(
        boolean on,
        BrokerRole role,
        String masterAddress,
        int inSyncReplicas,
        int minInSyncReplicas,
        int timeoutMs,
        long maxGapBytes,
        int maxSilenceMs,
        boolean slaveRead,
        boolean acceptLoss,
        long catchUpBytesPerSec) {
    private static final int MAX_COPIES = 33;
    private static final int HOUR_MS = 3_600_000;
    private static final long MIB = 1L << 20;

    static final Setting<BrokerRole> ROLE = Setting.ofEnum("brokerRole", BrokerRole.ASYNC_MASTER)
            .doc("Role. Where neither this nor haListenPort is set the broker is alone: it opens no port for slaves.");
    static final Setting<Long> ID =
            Setting.ofLong("brokerId", 0, 0, Integer.MAX_VALUE).doc("0 is the master; above 0 is a slave.");
    static final Setting<String> MASTER = AddressSettings.addresses("haMasterAddress")
            .doc("Of a slave: the replication port of its master; empty for the one that the NameServers name.");
    static final Setting<Integer> IN_SYNC = Setting.ofInt("inSyncReplicas", 1, 1, MAX_COPIES)
            .doc("Copies, the master's among them, that make a message of a SYNC_MASTER acknowledged; 1 counts as 2.");
    static final Setting<Integer> MIN_IN_SYNC = Setting.ofInt("minInSyncReplicas", 1, 1, MAX_COPIES)
            .doc("Copies, the master's among them, without which a SYNC_MASTER refuses to store.");
    static final Setting<Integer> TIMEOUT =
            Setting.ofInt("slaveTimeout", 3_000, 1, HOUR_MS).doc("Milliseconds a send waits for replicas.");
    static final Setting<Long> MAX_GAP = Setting.ofLong("haMaxGapNotInSync", 256 * MIB, MIB, Long.MAX_VALUE)
            .doc("Bytes a replica in sync may be behind.");
    static final Setting<Integer> MAX_SILENCE = Setting.ofInt("haMaxTimeSlaveNotCatchup", 15_000, 1_000, HOUR_MS)
            .doc("Milliseconds a replica in sync may be silent.");
    static final Setting<Boolean> SLAVE_READ = Setting.ofBoolean("slaveReadEnable", false)
            .doc(
                    "Whether readers that fall behind memory (accessMessageInMemoryMaxRatio) are sent to a slave in sync, and a slave"
                            + " serves them while its master is there. Without its master a slave is read in any case.");
    static final Setting<Boolean> ACCEPT_LOSS = Setting.ofBoolean("haAcceptLoss", false)
            .doc(
                    "Whether a master starts without the replicas that its log names, and beside one whose log went another way, and gives"
                            + " up what only they have. For one start: perigee broker --accept-loss; here it holds for each, which then waits 10 s for"
                            + " them and leaves gaps in the queues. Refused in a group.");
    static final Setting<Boolean> FLOW_CONTROL = Setting.ofBoolean("haFlowControlEnable", false)
            .doc("Whether a replica that is far behind is fed no faster than maxHaTransferByteInSecond.");
    static final Setting<Long> RATE = Setting.ofLong(
                    "maxHaTransferByteInSecond", 100 * MIB, MIB / 4, Long.MAX_VALUE / 2000)
            .doc("Bytes a second for a replica that is far behind.");

    /** Every key of this kind but role and id. */
    static List<Setting<?>> keys() {
        return List.of(
                MASTER,
                IN_SYNC,
                MIN_IN_SYNC,
                TIMEOUT,
                MAX_GAP,
                MAX_SILENCE,
                SLAVE_READ,
                ACCEPT_LOSS,
                FLOW_CONTROL,
                RATE);
    }

    /** @throws ConfigException when two settings contradict each other, naming both */
    static ReplicationSettings read(ConfigReader reader) {
        BrokerRole role = reader.get(ROLE);
        boolean on = reader.has(ROLE) || reader.get(BrokerKeys.HA_PORT) != 0;
        requireFitting(role, reader.get(ID), reader.get(MASTER), reader.get(BrokerKeys.NAMESRV));
        int inSync = reader.get(IN_SYNC);
        if (inSync < reader.get(MIN_IN_SYNC)) {
            throw new ConfigException(
                    IN_SYNC.key(),
                    Integer.toString(inSync),
                    "at least " + MIN_IN_SYNC.key() + "=" + reader.get(MIN_IN_SYNC));
        }
        return new ReplicationSettings(
                on,
                role,
                reader.get(MASTER),
                inSync,
                reader.get(MIN_IN_SYNC),
                reader.get(TIMEOUT),
                reader.get(MAX_GAP),
                reader.get(MAX_SILENCE),
                reader.get(SLAVE_READ),
                reader.get(ACCEPT_LOSS),
                reader.get(FLOW_CONTROL) ? reader.get(RATE) : 0);
    }

    /** The same of a member of a group: it follows nobody by its settings, and nobody follows it. */
    ReplicationSettings ofMember() {
        return new ReplicationSettings(
                false,
                BrokerRole.ASYNC_MASTER,
                "",
                inSyncReplicas,
                minInSyncReplicas,
                timeoutMs,
                maxGapBytes,
                maxSilenceMs,
                slaveRead,
                acceptLoss,
                catchUpBytesPerSec);
    }

    /** Whether the replication port is opened. */
    public boolean mayBeFollowed() {
        return on && role != BrokerRole.SLAVE;
    }

    private static void requireFitting(BrokerRole role, long id, String master, String nameServers) {
        boolean slave = role == BrokerRole.SLAVE;
        if (slave != id > 0) {
            throw new ConfigException(
                    ID.key(), Long.toString(id), (slave ? "more than 0" : "0") + " with " + ROLE.key() + "=" + role);
        }
        int masters = AddressSettings.list(master).size();
        if (slave && (masters > 1 || (masters == 0 && nameServers.isEmpty()))) {
            throw new ConfigException(
                    MASTER.key(),
                    master,
                    "one host:port with " + ROLE.key() + "=" + role + ", or none and a " + BrokerKeys.NAMESRV.key()
                            + " that knows the master");
        }
        if (!slave && masters > 0) {
            throw new ConfigException(MASTER.key(), master, "none with " + ROLE.key() + "=" + role);
        }
    }
}
