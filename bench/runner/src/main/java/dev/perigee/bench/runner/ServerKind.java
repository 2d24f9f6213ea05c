package dev.perigee.bench.runner;

import dev.perigee.harness.StockCluster;
import java.io.IOException;
import java.nio.file.Path;

/** The servers that can be put under load. */
enum ServerKind {
    PERIGEE {
        @Override
        Server start(Path directory, String flush) throws IOException {
            return PerigeeServer.start(directory, flush);
        }
    },
    STOCK {
        @Override
        Server start(Path directory, String flush) throws IOException {
            StockCluster cluster = new StockCluster(directory)
                    .heap("2g")
                    .with("flushDiskType", flush)
                    .with("mappedFileSizeCommitLog", Integer.toString(1 << 30))
                    .with("mappedFileSizeConsumeQueue", "6000000")
                    .with("maxIndexNum", "20000000")
                    .with("maxHashSlotNum", "5000000")
                    .with("enablePropertyFilter", "false")
                    .start();
            return new StockServer(cluster);
        }
    };

    abstract Server start(Path directory, String flush) throws IOException;
}
