package dev.perigee.sim.cluster;

import dev.perigee.broker.config.BrokerConfig;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a broker is in its cluster, and where others reach it.
 *
 * @param port of its clients; replication is one above
 * @param masterPort of the clients of its master, where it is told that; {@link #NOT_TOLD} otherwise
 * @param nameServers their addresses; empty for none
 * @param members of its group, as settings name them; empty for none
 */
record BrokerPlace(Layout.Seat seat, int port, int masterPort, String nameServers, String members) {
    static final int SEGMENT_BYTES = 1 << 20;

    /** A slave asks name servers where its master is. */
    static final int NOT_TOLD = 0;

    private static final int LEVELS = 18;

    /** Without replication and name servers. */
    BrokerPlace alone() {
        return new BrokerPlace(seat.alone(), port, NOT_TOLD, "", "");
    }

    /** The same machine, whose broker plays another part. */
    BrokerPlace as(Layout.Seat other) {
        return new BrokerPlace(other, port, masterPort, nameServers, members);
    }

    /** All that others connect to. */
    List<Integer> ports() {
        return List.of(port, port - BrokerConfig.FAST_PORT_BELOW, port + 1);
    }

    /** How long a message waits at a delay level: as many seconds as its number. */
    static long delayMs(int level) {
        return TimeUnit.SECONDS.toMillis(Math.min(level, LEVELS));
    }

    private static String delayLevels() {
        return IntStream.rangeClosed(1, LEVELS).mapToObj(level -> level + "s").collect(Collectors.joining(" "));
    }

    static String memberId(Layout.Seat seat) {
        return "n" + seat.brokerId();
    }

    /** A member of a group, as settings name it. */
    static String member(Layout.Seat seat, int port) {
        return memberId(seat) + "-127.0.0.1:" + (port + 1);
    }

    /** @param acceptsLoss whether whoever runs it lets it start without the replicas its log names */
    Properties settings(boolean acceptsLoss) {
        Properties properties = new Properties();
        properties.setProperty("brokerName", seat.brokerName());
        properties.setProperty("brokerId", Long.toString(seat.brokerId()));
        properties.setProperty("brokerIP1", "127.0.0.1");
        if (!nameServers.isEmpty()) {
            properties.setProperty("namesrvAddr", nameServers);
        }
        properties.setProperty("listenPort", Integer.toString(port));
        properties.setProperty("mappedFileSizeCommitLog", Integer.toString(SEGMENT_BYTES));
        properties.setProperty("messageDelayLevel", delayLevels());
        properties.setProperty("flushDiskType", seat.forces() ? "SYNC_FLUSH" : "ASYNC_FLUSH");
        if (seat.role() == Layout.Role.MEMBER) {
            properties.remove("brokerId");
            properties.setProperty("raftPeers", members);
            properties.setProperty("raftSelfId", memberId(seat));
            return properties;
        }
        if (seat.role() != Layout.Role.ALONE) {
            properties.setProperty("haListenPort", Integer.toString(port + 1));
            properties.setProperty("brokerRole", seat.role().name());
            properties.setProperty("slaveReadEnable", "true");
            properties.setProperty("haAcceptLoss", Boolean.toString(acceptsLoss));
        }
        if (seat.role() == Layout.Role.SYNC_MASTER) {
            properties.setProperty("inSyncReplicas", Integer.toString(seat.copies()));
            properties.setProperty("minInSyncReplicas", Integer.toString(seat.copies() - 1));
        }
        if (seat.role() == Layout.Role.SLAVE && masterPort != NOT_TOLD) {
            properties.setProperty("haMasterAddress", "127.0.0.1:" + (masterPort + 1));
        }
        return properties;
    }
}
