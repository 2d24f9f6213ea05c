package dev.perigee.broker.registration;

import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps a broker from starting under a name that brokers of another cluster have: NameServers know brokers by their names alone, and would
 * send clients of one to the other.
 */
@OwnedBy("starting thread")
final class OtherCluster {
    private final BrokerIdentity identity;
    private final Members members;

    OtherCluster(BrokerIdentity identity, Members members) {
        this.identity = identity;
        this.members = members;
    }

    /**
     * Asks NameServers that know nobody of the name in this broker's cluster. Blocks, twice {@link Members#TIMEOUT_MS} at most.
     *
     * @param known what each NameServer knows of this cluster: addresses by broker id
     * @throws IOException when there is another one, and a broker of it answers; the text names both
     */
    void refuse(Map<String, Map<Long, String>> known) throws IOException {
        Collection<String> asked = known.entrySet().stream()
                .filter(each -> each.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
        Map<String, String> texts = new TreeMap<>();
        members.askAll(asked, members::clusters)
                .forEach((nameServer, info) -> elsewhere(info)
                        .ifPresent(other -> other.brokerAddrs().values().stream()
                                .filter(address -> !address.equals(identity.address()))
                                .forEach(address -> texts.put(address, text(other, address, nameServer)))));
        Collection<String> alive = members.askAll(
                        texts.keySet(), each -> members.ask(each, Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE))
                .keySet();
        if (!alive.isEmpty()) {
            throw new IOException(texts.get(alive.iterator().next()));
        }
    }

    private Optional<BrokerData> elsewhere(ClusterInfo info) {
        return Optional.ofNullable(info.brokerAddrTable().get(identity.name()))
                .filter(other -> !other.cluster().equals(identity.cluster()));
    }

    private String text(BrokerData other, String address, String nameServer) {
        return "the broker name " + identity.name() + " is used in cluster " + other.cluster() + " at " + address
                + ", says NameServer " + nameServer + ", and that one answers; this one, " + identity.address()
                + " of cluster " + identity.cluster()
                + ", is not started under it, for NameServers know brokers by their names alone: give one of the two another brokerName";
    }
}
