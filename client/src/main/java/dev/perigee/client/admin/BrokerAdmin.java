package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ProducerTable;
import dev.perigee.protocol.header.broker.BrokerConsumeStatsHeader;
import dev.perigee.protocol.header.broker.BrokerStatsHeader;
import dev.perigee.protocol.header.route.BrokerNameHeader;
import dev.perigee.protocol.route.ClusterInfo;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.BrokerConsumeStats;
import dev.perigee.protocol.stats.BrokerStatsData;
import dev.perigee.protocol.stats.ConsumerOffsetTable;
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
        return calls.cluster();
    }

    /** The addresses of all masters of a cluster; an empty name means all clusters. */
    public List<String> masters(String cluster) throws ClientException {
        return calls.masters(cluster);
    }

    /** What a broker says about its state: names to texts. */
    public Map<String, String> runtimeInfo(String address) throws ClientException {
        return new TreeMap<>(
                calls.read(address, Rpcs.GET_BROKER_RUNTIME_INFO, NoHeader.NONE, AdminCalls.NO_TOPIC, KvTable.class)
                        .table());
    }

    /** All settings of a broker. */
    public Map<String, String> config(String address) throws ClientException {
        byte[] body = calls.demand(address, Rpcs.GET_BROKER_CONFIG, NoHeader.NONE, null, AdminCalls.NO_TOPIC)
                .body();
        return SettingLines.parse(new String(body, StandardCharsets.UTF_8));
    }

    /** Changes settings of a broker; refused with 16 when one of them may not be changed at run time. */
    public void updateConfig(String address, Map<String, String> changes) throws ClientException {
        byte[] body = SettingLines.format(changes).getBytes(StandardCharsets.UTF_8);
        calls.demand(address, Rpcs.UPDATE_BROKER_CONFIG, NoHeader.NONE, body, AdminCalls.NO_TOPIC);
    }

    /** One statistic of a broker, for instance {@code TOPIC_PUT_NUMS} of a topic. */
    public BrokerStatsData stats(String address, String name, String key) throws ClientException {
        return calls.read(
                address,
                Rpcs.VIEW_BROKER_STATS_DATA,
                new BrokerStatsHeader(name, key),
                AdminCalls.NO_TOPIC,
                BrokerStatsData.class);
    }

    /** The progress of all groups of a broker. */
    public BrokerConsumeStats consumeStats(String address, boolean isOrder) throws ClientException {
        return calls.read(
                address,
                Rpcs.GET_BROKER_CONSUME_STATS,
                new BrokerConsumeStatsHeader(isOrder),
                AdminCalls.NO_TOPIC,
                BrokerConsumeStats.class);
    }

    /** All stored positions of a broker. */
    public ConsumerOffsetTable consumerOffsets(String address) throws ClientException {
        return calls.read(
                address, Rpcs.GET_ALL_CONSUMER_OFFSET, NoHeader.NONE, AdminCalls.NO_TOPIC, ConsumerOffsetTable.class);
    }

    /** All producers connected to a broker. */
    public ProducerTable producers(String address) throws ClientException {
        return calls.read(address, Rpcs.GET_ALL_PRODUCER_INFO, NoHeader.NONE, AdminCalls.NO_TOPIC, ProducerTable.class);
    }

    /** Has a broker drop what belongs to topics that are gone. */
    public void cleanUnusedTopics(String address) throws ClientException {
        calls.demand(address, Rpcs.CLEAN_UNUSED_TOPIC, NoHeader.NONE, null, AdminCalls.NO_TOPIC);
    }

    /** Has a broker drop consume queue files nobody needs. */
    public void cleanExpiredConsumeQueues(String address) throws ClientException {
        calls.demand(address, Rpcs.CLEAN_EXPIRED_CONSUMEQUEUE, NoHeader.NONE, null, AdminCalls.NO_TOPIC);
    }

    /** Has a broker drop log segments past their retention. */
    public void deleteExpiredCommitLog(String address) throws ClientException {
        calls.demand(address, Rpcs.DELETE_EXPIRED_COMMITLOG, NoHeader.NONE, null, AdminCalls.NO_TOPIC);
    }

    /** Takes the write permission of a broker's topics away, in every NameServer; gives how many topics at the last one. */
    public int wipeWritePermission(String brokerName) throws ClientException {
        int topics = 0;
        for (var answer : calls.demandAll(
                calls.nameServers(),
                Rpcs.WIPE_WRITE_PERM_OF_BROKER,
                new BrokerNameHeader(brokerName),
                null,
                AdminCalls.NO_TOPIC)) {
            topics = answer.require().wipeTopicCount();
        }
        return topics;
    }

    /** Gives the write permission back, in every NameServer; gives how many topics at the last one. */
    public int addWritePermission(String brokerName) throws ClientException {
        int topics = 0;
        for (var answer : calls.demandAll(
                calls.nameServers(),
                Rpcs.ADD_WRITE_PERM_OF_BROKER,
                new BrokerNameHeader(brokerName),
                null,
                AdminCalls.NO_TOPIC)) {
            topics = answer.require().addTopicCount();
        }
        return topics;
    }
}
