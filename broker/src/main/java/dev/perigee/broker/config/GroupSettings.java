package dev.perigee.broker.config;

import dev.perigee.group.GroupConfig;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.address.AddressText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The group that elects this broker's master, when it is in one: by RocketMQ's keys, or by names that say what they mean.
 *
 * @param on whether it is in one
 * @param group its name, the same at every member
 * @param selfId which of the peers this broker is
 * @param peers all that begin the group, this broker among them; once the log names members, those count
 * @param electionTimeoutMs for so long a leader may be unheard
 */
@Immutable
public record GroupSettings(
        boolean on, String group, String selfId, List<GroupConfig.Peer> peers, int electionTimeoutMs) {
    /** Of a broker in no group. */
    static final GroupSettings NONE =
            new GroupSettings(false, "", "", List.of(), (int) GroupConfig.ELECTION_TIMEOUT_MS);

    /** More would wait for each other only. */
    static final int MAX_PEERS = 32;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.]{1,63}");
    private static final int HEARTBEATS_PER_TIMEOUT = 6;
    private static final String PEERS_FORM = "id-host:port for each member, separated by semicolons, such as"
            + " n0-10.0.0.1:40911;n1-10.0.0.2:40911;n2-10.0.0.3:40911";

    static final Setting<Boolean> ENABLE = Setting.ofBoolean("enableDLegerCommitLog", false)
            .doc("Whether this broker is in a group that elects its master; also by raftPeers alone.");
    static final Setting<String> STOCK_GROUP = AddressSettings.name("dLegerGroup", "")
            .doc("Name of the group, the same at every member; empty = brokerName.");
    static final Setting<String> STOCK_PEERS =
            Setting.ofText("dLegerPeers", "").doc("Who begins the group: " + PEERS_FORM + ".");
    static final Setting<String> STOCK_SELF =
            Setting.ofText("dLegerSelfId", "").doc("Which of the peers this broker is.");
    static final Setting<String> GROUP = AddressSettings.name("raftGroup", "").doc("The same as dLegerGroup.");
    static final Setting<String> PEERS = Setting.ofText("raftPeers", "")
            .doc("The same as dLegerPeers; enableDLegerCommitLog need not be set with it.");
    static final Setting<String> SELF = Setting.ofText("raftSelfId", "").doc("The same as dLegerSelfId.");
    static final Setting<Integer> TIMEOUT = Setting.ofInt(
                    "raftElectionTimeout", (int) GroupConfig.ELECTION_TIMEOUT_MS, 300, 600_000)
            .doc("Milliseconds for which the leader of a group may be unheard; the same at every member.");

    static List<Setting<?>> keys() {
        return List.of(ENABLE, STOCK_GROUP, STOCK_PEERS, STOCK_SELF, GROUP, PEERS, SELF, TIMEOUT);
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
        if (all.stream().noneMatch(peer -> peer.id().equals(self))) {
            throw new ConfigException(
                    selfKey.key(),
                    self,
                    "one of the ids in " + key.key() + ": "
                            + String.join(
                                    ", ", all.stream().map(GroupConfig.Peer::id).toList()));
        }
        BrokerRole role = reader.get(ReplicationSettings.ROLE);
        if (role == BrokerRole.SLAVE) {
            throw new ConfigException(
                    ReplicationSettings.ROLE.key(),
                    role.name(),
                    "none with " + key.key() + "=" + peers + ": who is the master is elected");
        }
        String group = either(reader, STOCK_GROUP, GROUP);
        return new GroupSettings(
                true, group.isEmpty() ? reader.get(BrokerKeys.NAME) : group, self, all, reader.get(TIMEOUT));
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
        List<GroupConfig.Peer> all = new ArrayList<>();
        Map<String, String> seen = new TreeMap<>();
        for (String each : text.split(";", -1)) {
            String part = each.strip();
            if (part.isEmpty()) {
                continue;
            }
            int dash = part.indexOf('-');
            String id = dash < 0 ? "" : part.substring(0, dash);
            String address = part.substring(dash + 1);
            if (!ID.matcher(id).matches() || AddressText.parse(address).isEmpty()) {
                throw new ConfigException(key, part, PEERS_FORM);
            }
            for (String name : List.of(id, address)) {
                String before = seen.put(name, part);
                if (before != null) {
                    throw new ConfigException(
                            key, before + " and " + part, "each id and each address once, but both have " + name);
                }
            }
            all.add(new GroupConfig.Peer(id, address));
        }
        if (all.isEmpty() || all.size() > MAX_PEERS) {
            throw new ConfigException(
                    key, all.size() + " members", "1 to " + MAX_PEERS + " with " + ENABLE.key() + ": " + PEERS_FORM);
        }
        return all;
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

    /** The id it has at NameServers while it does not lead: its place among the peers, from 1 on. */
    public long slaveId() {
        for (int i = 0; i < peers.size(); i++) {
            if (peers.get(i).id().equals(selfId)) {
                return i + 1L;
            }
        }
        return peers.size() + 1L;
    }

    /** What to know of a group of this size; empty when there is nothing. */
    public String warning() {
        int size = peers.size();
        return size % 2 == 0
                ? size + " members survive the loss of " + (size - 1) / 2 + ", as many as " + (size - 1)
                        + " members do, and one more can fail: use an odd number"
                : "";
    }

    /** For the module that runs it. */
    public GroupConfig config(String cluster) {
        return new GroupConfig(
                cluster, group, selfId, peers, electionTimeoutMs, electionTimeoutMs / HEARTBEATS_PER_TIMEOUT);
    }
}
