package dev.perigee.broker.config;

import dev.perigee.group.GroupConfig;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import java.util.List;
import java.util.Optional;

/**
 * The group that elects this broker's master, when it is in one: by RocketMQ's keys, or by names that say what they mean.
 *
 * @param on whether it is in one
 * @param group its name, the same at every member
 * @param selfId which of the peers this broker is
 * @param peers all that begin the group, this broker among them; once the log names members, those count
 * @param electionTimeoutMs for so long a leader may be unheard
 * @param preferredLeader which of the peers is to lead whenever it can; empty for none
 */
@Immutable
public record GroupSettings(
        boolean on,
        String group,
        String selfId,
        List<GroupConfig.Peer> peers,
        int electionTimeoutMs,
        String preferredLeader) {
    /** Of a broker in no group. */
    static final GroupSettings NONE =
            new GroupSettings(false, "", "", List.of(), (int) GroupConfig.ELECTION_TIMEOUT_MS, "");

    private static final int HEARTBEATS_PER_TIMEOUT = 6;

    static final Setting<Boolean> ENABLE = Setting.ofBoolean("enableDLegerCommitLog", false)
            .doc("Whether this broker is in a group that elects its master; also by raftPeers alone.");
    static final Setting<String> STOCK_GROUP = AddressSettings.name("dLegerGroup", "")
            .doc("Name of the group, the same at every member; empty = brokerName.");
    static final Setting<String> STOCK_PEERS =
            Setting.ofText("dLegerPeers", "").doc("Who begins the group: " + GroupConfig.FORM + ".");
    static final Setting<String> STOCK_SELF =
            Setting.ofText("dLegerSelfId", "").doc("Which of the peers this broker is.");
    static final Setting<String> GROUP = AddressSettings.name("raftGroup", "").doc("The same as dLegerGroup.");
    static final Setting<String> PEERS = Setting.ofText("raftPeers", "")
            .doc("The same as dLegerPeers; enableDLegerCommitLog need not be set with it.");
    static final Setting<String> SELF = Setting.ofText("raftSelfId", "").doc("The same as dLegerSelfId.");
    static final Setting<Integer> TIMEOUT = Setting.ofInt(
                    "raftElectionTimeout", (int) GroupConfig.ELECTION_TIMEOUT_MS, 300, 600_000)
            .doc("Milliseconds for which the leader of a group may be unheard; the same at every member.");
    static final Setting<String> STOCK_PREFERRED =
            Setting.ofText("preferredLeaderId", "").doc("The same as preferredLeader.");
    static final Setting<String> PREFERRED = Setting.ofText("preferredLeader", "")
            .doc(
                    "Which of the peers leads whenever it is sound and keeps up; empty = whoever is elected. The same at every member.");

    static List<Setting<?>> keys() {
        return List.of(
                ENABLE, STOCK_GROUP, STOCK_PEERS, STOCK_SELF, GROUP, PEERS, SELF, TIMEOUT, STOCK_PREFERRED, PREFERRED);
    }

    public GroupSettings {
        peers = List.copyOf(peers);
    }

    /** @throws ConfigException when a value is not accepted, or two contradict each other, naming both */
    static GroupSettings read(ConfigReader reader) {
        String peers = either(reader, STOCK_PEERS, PEERS);
        if (!reader.get(ENABLE) && (reader.get(PEERS).isEmpty() || reader.has(ENABLE))) {
            return NONE; // stock files name the peers of a mode that is switched off
        }
        Setting<String> key = reader.get(PEERS).isEmpty() ? STOCK_PEERS : PEERS;
        List<GroupConfig.Peer> all = peers(key.key(), peers);
        String self = either(reader, STOCK_SELF, SELF);
        Setting<String> selfKey = reader.get(SELF).isEmpty() ? STOCK_SELF : SELF;
        requireId(selfKey.key(), self, key.key(), all);
        String preferred = either(reader, STOCK_PREFERRED, PREFERRED);
        if (!preferred.isEmpty()) {
            Setting<String> preferredKey = reader.get(PREFERRED).isEmpty() ? STOCK_PREFERRED : PREFERRED;
            requireId(preferredKey.key(), preferred, key.key(), all);
        }
        BrokerRole role = reader.get(ReplicationSettings.ROLE);
        if (role == BrokerRole.SLAVE) {
            throw new ConfigException(
                    ReplicationSettings.ROLE.key(),
                    role.name(),
                    "none with " + key.key() + "=" + peers + ": who is the master is elected");
        }
        refuseLoss(reader, key.key());
        String group = either(reader, STOCK_GROUP, GROUP);
        return new GroupSettings(
                true, group.isEmpty() ? reader.get(BrokerKeys.NAME) : group, self, all, reader.get(TIMEOUT), preferred);
    }

    private static void requireId(String key, String id, String peersKey, List<GroupConfig.Peer> peers) {
        if (peers.stream().noneMatch(peer -> peer.id().equals(id))) {
            throw new ConfigException(
                    key,
                    id,
                    "one of the ids in " + peersKey + ": "
                            + String.join(
                                    ", ",
                                    peers.stream().map(GroupConfig.Peer::id).toList()));
        }
    }

    /** A member that went on alone with what it has would be outvoted, or be a second group beside the others. */
    private static void refuseLoss(ConfigReader reader, String peersKey) {
        if (reader.get(ReplicationSettings.ACCEPT_LOSS)) {
            throw new ConfigException(
                    ReplicationSettings.ACCEPT_LOSS.key(),
                    "true",
                    "false with " + peersKey + ": no member of a group goes on without the majority of it, so"
                            + " there is nothing that one start could give up");
        }
    }

    private static String either(ConfigReader reader, Setting<String> stock, Setting<String> own) {
        String one = reader.get(stock);
        String other = reader.get(own);
        if (!one.isEmpty() && !other.isEmpty() && !one.equals(other)) {
            throw new ConfigException(
                    own.key(), other, "the same as " + stock.key() + "=" + one + ", or only one of both");
        }
        return other.isEmpty() ? one : other;
    }

    private static List<GroupConfig.Peer> peers(String key, String text) {
        try {
            return GroupConfig.peers(text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(key, text, String.valueOf(e.getMessage()));
        }
    }

    /** Where this broker listens for the other members, {@code host:port}. */
    public String selfAddress() {
        return peers.stream()
                .filter(peer -> peer.id().equals(selfId))
                .map(GroupConfig.Peer::address)
                .findFirst()
                .orElse("");
    }

    /** The port of that. */
    int port() {
        return Integer.parseInt(selfAddress().substring(selfAddress().lastIndexOf(':') + 1));
    }

    /** The id it has at NameServers while it does not lead, as long as the log does not tell who the members are. */
    public long slaveId() {
        return MemberIds.of(selfId, peers.stream().map(GroupConfig.Peer::id).toList());
    }

    /** What an operator is told at the start; empty when there is nothing, or no group. */
    public Optional<String> warning() {
        return on ? config("", "", 0).warning() : Optional.empty();
    }

    /**
     * For the module that runs it.
     *
     * @param catchUpBytesPerSec how fast a member that is far behind is fed; 0 for as fast as it goes
     */
    public GroupConfig config(String cluster, String broker, long catchUpBytesPerSec) {
        return new GroupConfig(
                cluster,
                broker,
                group,
                selfId,
                peers,
                electionTimeoutMs,
                electionTimeoutMs / HEARTBEATS_PER_TIMEOUT,
                catchUpBytesPerSec);
    }
}
