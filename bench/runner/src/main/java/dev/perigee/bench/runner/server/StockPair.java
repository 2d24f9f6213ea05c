package dev.perigee.bench.runner.server;

import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** A stock NameServer, a synchronous master that waits for its slave, and that slave, on one machine. */
record StockPair(StockCluster master, StockCluster slave, LogEnds ends) implements Server {
    /** Both brokers with the same settings but their roles. */
    static StockPair start(Path directory, UnaryOperator<StockCluster> settings) throws IOException {
        StockCluster master = settings.apply(new StockCluster(directory.resolve("master")))
                .with("brokerRole", "SYNC_MASTER")
                .with("inSyncReplicas", "2")
                .with("brokerIP2", "127.0.0.1");
        StockCluster slave = null;
        try {
            master.start();
            slave = settings.apply(new StockCluster(directory.resolve("slave")))
                    .registeredAt(master.target().namesrv())
                    .with("brokerRole", "SLAVE")
                    .with("brokerId", "1")
                    .with("brokerIP2", "127.0.0.1");
            slave.startBroker();
            InSync.await(master.target().broker(), master.broker(), slave.broker());
            LogEnds ends = new LogEnds(master.target().broker(), slave.target().broker());
            return new StockPair(master, slave, ends);
        } catch (IOException | RuntimeException | Error e) {
            if (slave != null) {
                slave.close();
            }
            master.close();
            throw e;
        }
    }

    @Override
    public String bootstrap() {
        return master.target().namesrv();
    }

    @Override
    public JavaProcess broker() {
        return master.broker();
    }

    @Override
    public long cpuMillis() throws IOException {
        return master.broker().cpuMillis() + slave.broker().cpuMillis();
    }

    @Override
    public OptionalLong lagBytes() {
        return ends.lagBytes();
    }

    /** Kills both brokers: each takes more than ten seconds to stop in order, and what they stored is of no use any more. */
    @Override
    public void close() {
        slave.broker().kill();
        master.broker().kill();
        slave.close();
        master.close();
    }
}
