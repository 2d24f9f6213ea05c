package dev.perigee.bench.runner.server;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Perigee's NameServer, a synchronous master and its slave, each in its own JVM with the launcher's options, on one machine. */
record PerigeePair(String bootstrap, JavaProcess namesrv, JavaProcess broker, JavaProcess slave, LogEnds ends)
        implements Server {
    static PerigeePair start(Path directory, String flush) throws IOException {
        Path home = Files.createDirectories(directory);
        int namesrvPort = FreePorts.one();
        int masterPort = FreePorts.forBroker();
        int slavePort = FreePorts.forBroker();
        String bootstrap = "127.0.0.1:" + namesrvPort;
        List<JavaProcess> started = new ArrayList<>();
        try {
            started.add(PerigeeServer.startNamesrv(home, namesrvPort));
            started.add(broker(
                    home.resolve("master"), bootstrap, masterPort, flush, "brokerId=0", "brokerRole=SYNC_MASTER"));
            Ports.await(masterPort, started.get(1));
            started.add(broker(
                    home.resolve("slave"),
                    bootstrap,
                    slavePort,
                    flush,
                    "brokerId=1",
                    "brokerRole=SLAVE",
                    "haMasterAddress=127.0.0.1:" + (masterPort + 1)));
            InSync.await("127.0.0.1:" + masterPort, started.get(1), started.get(2));
            LogEnds ends = new LogEnds("127.0.0.1:" + masterPort, "127.0.0.1:" + slavePort);
            return new PerigeePair(bootstrap, started.get(0), started.get(1), started.get(2), ends);
        } catch (IOException | RuntimeException e) {
            started.forEach(JavaProcess::close);
            throw e;
        }
    }

    private static JavaProcess broker(Path folder, String namesrv, int port, String flush, String... role)
            throws IOException {
        Files.createDirectories(folder);
        Path conf = Files.writeString(
                folder.resolve("broker.conf"),
                String.join("\n", role) + "\n"
                        + String.join(
                                "\n",
                                "inSyncReplicas=2",
                                "brokerClusterName=BenchCluster",
                                "brokerName=perigee-a",
                                "namesrvAddr=" + namesrv,
                                "brokerIP1=127.0.0.1",
                                "listenPort=" + port,
                                "haListenPort=" + (port + 1),
                                "flushDiskType=" + flush,
                                "waitTimeMillsInSendQueue=10000",
                                "storePathRootDir=" + folder.resolve("store"),
                                ""));
        return PerigeeServer.java(folder.getFileName().toString(), folder)
                .arguments("broker", "-c", conf.toString())
                .start();
    }

    @Override
    public long cpuMillis() throws IOException {
        return broker.cpuMillis() + slave.cpuMillis();
    }

    @Override
    public OptionalLong lagBytes() {
        return ends.lagBytes();
    }

    @Override
    public SlaveLag slaveLag() throws IOException {
        return SlaveLag.of(ends.master());
    }

    @Override
    public void close() {
        slave.close();
        broker.close();
        namesrv.close();
    }
}
