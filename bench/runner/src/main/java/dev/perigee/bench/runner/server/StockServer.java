package dev.perigee.bench.runner.server;

import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockCluster;

/** A stock NameServer and broker, file sizes at their defaults. */
record StockServer(StockCluster cluster) implements Server {
    @Override
    public String bootstrap() {
        return cluster.target().namesrv();
    }

    @Override
    public JavaProcess broker() {
        return cluster.broker();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
