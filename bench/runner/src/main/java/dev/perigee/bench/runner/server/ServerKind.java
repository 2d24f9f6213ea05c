package dev.perigee.bench.runner.server;

import dev.perigee.harness.StockCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The servers that can be put under load. */
public enum ServerKind {
    PERIGEE("heap 1 GiB, direct memory 1 GiB, serial collector") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return PerigeeServer.start(directory, flush);
        }
    },
    STOCK("RocketMQ 5.5.0, heap 2 GiB, direct memory 512 MiB, the JVM's choice of collector") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return new StockServer(stock(new StockCluster(directory), flush).start());
        }
    },
    PERIGEE_PAIR("a SYNC_MASTER and its SLAVE, inSyncReplicas 2, each with heap 1 GiB, direct memory 1 GiB, serial"
            + " collector") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return PerigeePair.start(directory, flush);
        }
    },
    STOCK_PAIR("RocketMQ 5.5.0, a SYNC_MASTER and its SLAVE, inSyncReplicas 2, each with heap 2 GiB, direct memory 512"
            + " MiB") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return StockPair.start(directory, cluster -> stock(cluster, flush));
        }
    },
    PERIGEE_GROUP(
            "three brokers that elect their master, each with heap 1 GiB, direct memory 1 GiB, serial collector") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return PerigeeGroup.start(directory, flush, Links.loopback(Group.SIZE));
        }

        @Override
        public Group startApart(Path directory, String flush) throws IOException {
            return PerigeeGroup.start(directory, flush, Links.apart(Group.SIZE));
        }
    },
    STOCK_GROUP(
            "RocketMQ 5.5.0, three brokers with enableDLegerCommitLog, each with heap 2 GiB, direct memory 512 MiB") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return StockGroup.start(directory, stockSettings(flush), Links.loopback(Group.SIZE));
        }

        @Override
        public Group startApart(Path directory, String flush) throws IOException {
            return StockGroup.start(directory, stockSettings(flush), Links.apart(Group.SIZE));
        }
    },
    KAFKA("Kafka 4.1.1, heap 1 GiB, G1, one KRaft node, segments of 1 GiB") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return KafkaServer.start(directory, flush);
        }
    };

    private final String settings;

    ServerKind(String settings) {
        this.settings = settings;
    }

    private static StockCluster stock(StockCluster cluster, String flush) {
        cluster.heap("2g").livesLong();
        stockSettings(flush).forEach(cluster::with);
        return cluster;
    }

    private static Map<String, String> stockSettings(String flush) {
        return Map.of(
                "flushDiskType", flush,
                "mappedFileSizeCommitLog", Integer.toString(1 << 30),
                "mappedFileSizeConsumeQueue", "6000000",
                "maxIndexNum", "20000000",
                "maxHashSlotNum", "5000000",
                "enablePropertyFilter", "false");
    }

    /** Starts one on an empty folder and returns when it listens; {@code flush} is a flushDiskType. Blocks. */
    public abstract Server start(Path directory, String flush) throws IOException;

    /**
     * The same of a group whose members live behind links that can be cut, where the machine allows that. Blocks.
     *
     * @throws UnsupportedOperationException of what is no group
     */
    public Group startApart(Path directory, String flush) throws IOException {
        throw new UnsupportedOperationException(this + " is no group");
    }

    /** What a reader of a figure has to know about how it runs. */
    public String settings() {
        return settings;
    }
}
