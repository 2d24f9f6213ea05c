package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ProducerTable;
import dev.perigee.protocol.header.broker.BrokerConsumeStatsHeader;
import dev.perigee.protocol.header.broker.BrokerStatsHeader;
import dev.perigee.protocol.header.raft.RaftOrderHeader;
import dev.perigee.protocol.header.route.BrokerNameHeader;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.BrokerConsumeStats;
import dev.perigee.protocol.stats.BrokerStatsData;
import dev.perigee.protocol.stats.ConsumerOffsetTable;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.RaftStatus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Clusters and brokers: state, configuration, permissions and housekeeping. All methods block up to the admin timeout. */
@ThreadSafe
public final class BrokerAdmin {
    private final AdminCalls calls;

    BrokerAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /** The clusters and brokers a NameServer knows. */
    public ClusterInfo cluster() throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.cluster();
    }

    /** The addresses of all masters of a cluster; an empty name means all clusters. */
    public List<String> masters(String cluster) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.masters(cluster);
    }

    /** What a broker says about its state: names to texts. */
    public Map<String, String> runtimeInfo(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return new TreeMap<>(operation
                .read(address, Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE, AdminOperation.NO_TOPIC, KvTable.class)
                .table());
    }

    /** How a broker replicates: of a master its slaves, of a slave how it follows. */
    public HaStatus haStatus(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, AdminOperation.NO_TOPIC, HaStatus.class);
    }

    /** What a member is in its group; refused with 3 by a broker that is in none. */
    public RaftStatus raftStatus(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(address, Rpcs.RAFT_STATUS, NoHeader.NONE, AdminOperation.NO_TOPIC, RaftStatus.class);
    }

    /**
     * Has another member lead. Given to any member, which hands it on to the leader.
     *
     * @param member whom; empty for the one that holds most
     */
    public void raftTransfer(String address, String member) throws ClientException {
        raftOrder(address, new RaftOrderHeader(RaftOrderHeader.TRANSFER, member.isEmpty() ? null : member, null, null));
    }

    /**
     * Has a new member receive the log; it counts for nothing yet.
     *
     * @param nodeId the name of its folder, as its {@link #raftStatus} says it
     * @param memberAddress where it listens for the others
     */
    public void raftAdd(String address, String member, String nodeId, String memberAddress) throws ClientException {
        raftOrder(address, new RaftOrderHeader(RaftOrderHeader.ADD, member, nodeId, memberAddress));
    }

    /** Gives a member that only receives a vote. */
    public void raftPromote(String address, String member) throws ClientException {
        raftOrder(address, new RaftOrderHeader(RaftOrderHeader.PROMOTE, member, null, null));
    }

    /** Has a member leave, also the one that leads. */
    public void raftRemove(String address, String member) throws ClientException {
        raftOrder(address, new RaftOrderHeader(RaftOrderHeader.REMOVE, member, null, null));
    }

    private void raftOrder(String address, RaftOrderHeader order) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demand(address, Rpcs.RAFT_ORDER, order, null, AdminOperation.NO_TOPIC);
    }

    /** All settings of a broker. */
    public Map<String, String> config(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        byte[] body = operation
                .demand(address, Rpcs.GET_BROKER_CONFIG, NoHeader.NONE, null, AdminOperation.NO_TOPIC)
                .body();
        return SettingLines.parse(new String(body, StandardCharsets.UTF_8));
    }

    /** Changes settings of a broker; refused with 16 when one of them may not be changed at run time. */
    public void updateConfig(String address, Map<String, String> changes) throws ClientException {
        AdminOperation operation = calls.begin();
        byte[] body = SettingLines.format(changes).getBytes(StandardCharsets.UTF_8);
        operation.demand(address, Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, body, AdminOperation.NO_TOPIC);
    }

    /** One statistic of a broker, for instance {@code TOPIC_PUT_NUMS} of a topic. */
    public BrokerStatsData stats(String address, String name, String key) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.VIEW_BROKER_STATS_DATA,
                new BrokerStatsHeader(name, key),
                AdminOperation.NO_TOPIC,
                BrokerStatsData.class);
    }

    /** The progress of all groups of a broker. */
    public BrokerConsumeStats consumeStats(String address, boolean isOrder) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_BROKER_CONSUME_STATS,
                new BrokerConsumeStatsHeader(isOrder),
                AdminOperation.NO_TOPIC,
                BrokerConsumeStats.class);
    }

    /** All stored positions of a broker. */
    public ConsumerOffsetTable consumerOffsets(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address,
                Rpcs.GET_ALL_CONSUMER_OFFSET,
                NoHeader.NONE,
                AdminOperation.NO_TOPIC,
                ConsumerOffsetTable.class);
    }

    /** All producers connected to a broker. */
    public ProducerTable producers(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        return operation.read(
                address, Rpcs.GET_ALL_PRODUCER_INFO, NoHeader.NONE, AdminOperation.NO_TOPIC, ProducerTable.class);
    }

    /** Has a broker drop what belongs to topics that are gone. */
    public void cleanUnusedTopics(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demand(address, Rpcs.CLEAN_UNUSED_TOPIC, NoHeader.NONE, null, AdminOperation.NO_TOPIC);
    }

    /** Has a broker drop consume queue files nobody needs. */
    public void cleanExpiredConsumeQueues(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demand(address, Rpcs.CLEAN_EXPIRED_CONSUMEQUEUE, NoHeader.NONE, null, AdminOperation.NO_TOPIC);
    }

    /** Has a broker drop log segments past their retention. */
    public void deleteExpiredCommitLog(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demand(address, Rpcs.DELETE_EXPIRED_COMMITLOG, NoHeader.NONE, null, AdminOperation.NO_TOPIC);
    }

    /** Takes the write permission of a broker's topics away, in every NameServer; gives how many topics at the last one. */
    public int wipeWritePermission(String brokerName) throws ClientException {
        AdminOperation operation = calls.begin();
        int topics = 0;
        for (var answer : operation.demandAll(
                operation.nameServers(),
                Rpcs.WIPE_WRITE_PERM_OF_BROKER,
                new BrokerNameHeader(brokerName),
                null,
                AdminOperation.NO_TOPIC)) {
            topics = answer.require().wipeTopicCount();
        }
        return topics;
    }

    /** Gives the write permission back, in every NameServer; gives how many topics at the last one. */
    public int addWritePermission(String brokerName) throws ClientException {
        AdminOperation operation = calls.begin();
        int topics = 0;
        for (var answer : operation.demandAll(
                operation.nameServers(),
                Rpcs.ADD_WRITE_PERM_OF_BROKER,
                new BrokerNameHeader(brokerName),
                null,
                AdminOperation.NO_TOPIC)) {
            topics = answer.require().addTopicCount();
        }
        return topics;
    }
}
