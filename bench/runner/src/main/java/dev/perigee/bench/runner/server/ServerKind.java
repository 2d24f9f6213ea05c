package dev.perigee.bench.runner.server;

import dev.perigee.harness.StockCluster;
import java.io.IOException;
import java.nio.file.Path;

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
    PERIGEE_PAIR(
            "a SYNC_MASTER and its SLAVE, inSyncReplicas 2, each with heap 1 GiB, direct memory 1 GiB, serial collector") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return PerigeePair.start(directory, flush);
        }
    },
    STOCK_PAIR(
            "RocketMQ 5.5.0, a SYNC_MASTER and its SLAVE, inSyncReplicas 2, each with heap 2 GiB, direct memory 512 MiB") {
        @Override
        public Server start(Path directory, String flush) throws IOException {
            return StockPair.start(directory, cluster -> stock(cluster, flush));
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
        return cluster.heap("2g")
                .livesLong()
                .with("flushDiskType", flush)
                .with("mappedFileSizeCommitLog", Integer.toString(1 << 30))
                .with("mappedFileSizeConsumeQueue", "6000000")
                .with("maxIndexNum", "20000000")
                .with("maxHashSlotNum", "5000000")
                .with("enablePropertyFilter", "false");
    }

    /** Starts one on an empty folder and returns when it listens; {@code flush} is a flushDiskType. Blocks. */
    public abstract Server start(Path directory, String flush) throws IOException;

    /** What a reader of a figure has to know about how it runs. */
    public String settings() {
        return settings;
    }
}
