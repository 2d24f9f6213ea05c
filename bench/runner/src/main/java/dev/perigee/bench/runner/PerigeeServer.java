package dev.perigee.bench.runner;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Perigee's NameServer and broker, each in its own JVM with the launcher's options. */
record PerigeeServer(String nameServer, JavaProcess namesrv, JavaProcess broker) implements Server {
    private static final String MAIN = "dev.perigee.dist.Main";
    private static final Duration READY = Duration.ofSeconds(30);

    static PerigeeServer start(Path directory, String flush) throws IOException {
        int namesrvPort = FreePorts.one();
        int brokerPort = FreePorts.forBroker();
        Path home = Files.createDirectories(directory);
        Path namesrvConf = Files.writeString(home.resolve("namesrv.conf"), "listenPort=" + namesrvPort + "\n");
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
                        "storePathRootDir=" + home.resolve("store"),
                        ""));
        JavaProcess namesrv = java("namesrv", Files.createDirectories(home.resolve("ns")))
                .arguments("namesrv", "-c", namesrvConf.toString())
                .start();
        awaitPort(namesrvPort);
        JavaProcess broker = java("broker", Files.createDirectories(home.resolve("br")))
                .arguments("broker", "-c", brokerConf.toString())
                .start();
        awaitPort(brokerPort);
        return new PerigeeServer("127.0.0.1:" + namesrvPort, namesrv, broker);
    }

    private static JavaCommand java(String name, Path directory) {
        return new JavaCommand(name, MAIN, System.getProperty("java.class.path"), directory)
                .options("-XX:+UseSerialGC", "-Xms48m", "-Xmx1g", "-Xmn32m", "-XX:MaxDirectMemorySize=1g");
    }

    private static void awaitPort(int port) {
        long deadlineNs = System.nanoTime() + READY.toNanos();
        while (System.nanoTime() < deadlineNs) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
                return;
            } catch (IOException notYet) {
                pause(notYet);
            }
        }
        throw new IllegalStateException("nothing listens on port " + port + " after " + READY);
    }

    private static void pause(IOException notYet) {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(notYet);
        }
    }

    @Override
    public void close() {
        broker.close();
        namesrv.close();
    }
}
