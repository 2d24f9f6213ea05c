package dev.perigee.bench.runner.server;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Perigee's NameServer and broker, each in its own JVM with the launcher's options. */
record PerigeeServer(String bootstrap, JavaProcess namesrv, JavaProcess broker) implements Server {
    private static final String MAIN = "dev.perigee.dist.Main";
    private static final Path JAR = Path.of("dist", "target", "lib", "perigee-dist.jar");
    private static final Path ARCHIVES = Path.of("dist", "target", "cds");

    static PerigeeServer start(Path directory, String flush) throws IOException {
        int namesrvPort = FreePorts.one();
        int brokerPort = FreePorts.forBroker();
        Path home = Files.createDirectories(directory);
        Path brokerConf = Files.writeString(
                home.resolve("broker.conf"),
                String.join(
                        "\n",
                        "brokerClusterName=BenchCluster",
                        "brokerName=perigee-a",
                        "brokerId=0",
                        "namesrvAddr=127.0.0.1:" + namesrvPort,
                        "brokerIP1=127.0.0.1",
                        "listenPort=" + brokerPort,
                        "flushDiskType=" + flush,
                        "waitTimeMillsInSendQueue=10000",
                        "storePathRootDir=" + home.resolve("store"),
                        ""));
        JavaProcess namesrv = startNamesrv(home, namesrvPort);
        JavaProcess broker = java("broker", Files.createDirectories(home.resolve("br")))
                .arguments("broker", "-c", brokerConf.toString())
                .start();
        Ports.await(brokerPort, broker);
        return new PerigeeServer("127.0.0.1:" + namesrvPort, namesrv, broker);
    }

    /** Returns when it listens. */
    static JavaProcess startNamesrv(Path home, int port) throws IOException {
        Path conf = Files.writeString(home.resolve("namesrv.conf"), "listenPort=" + port + "\n");
        JavaProcess namesrv = java("namesrv", Files.createDirectories(home.resolve("ns")))
                .arguments("namesrv", "-c", conf.toString())
                .start();
        Ports.await(port, namesrv);
        return namesrv;
    }

    /** A program of Perigee's as its launcher starts it, with its jar and its archive of classes, where {@code bench/run} had them made. */
    static JavaCommand java(String name, Path directory) {
        String classPath = Files.exists(JAR) ? JAR.toAbsolutePath().toString() : System.getProperty("java.class.path");
        return new JavaCommand(name, MAIN, classPath, directory)
                .options("-XX:+UseSerialGC", "-XX:+PerfDisableSharedMem", "-Dfile.encoding=UTF-8")
                .options("-Dio.netty.jfr.enabled=false")
                .options("-Xms48m", "-Xmx1g", "-Xmn32m", "-XX:MaxDirectMemorySize=1g")
                .options("-XX:SurvivorRatio=4", "-XX:TargetSurvivorRatio=90")
                .options("-XX:MinHeapFreeRatio=75", "-XX:MaxHeapFreeRatio=85")
                .options("-XX:ReservedCodeCacheSize=96m", "-XX:+ExitOnOutOfMemoryError")
                .options(archive().toArray(String[]::new));
    }

    private static List<String> archive() {
        Path home = Path.of(System.getProperty("java.home"));
        Path archive =
                ARCHIVES.resolve(home.getFileName() + "-" + Runtime.version().feature() + ".jsa");
        return Files.exists(JAR) && Files.exists(archive)
                ? List.of("-XX:SharedArchiveFile=" + archive.toAbsolutePath(), "-Xshare:auto", "-Xlog:cds=off")
                : List.of();
    }

    @Override
    public void close() {
        broker.close();
        namesrv.close();
    }
}
