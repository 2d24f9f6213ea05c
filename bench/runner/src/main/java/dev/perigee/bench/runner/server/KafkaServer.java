package dev.perigee.bench.runner.server;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockPeer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.UUID;

/**
 * One Kafka node, broker and controller in one JVM, on loopback. It leaves flushing to the operating system, as it does by default, so it is
 * a peer for asynchronous flush only.
 */
record KafkaServer(String bootstrap, JavaProcess broker) implements Server {
    private static final String ASYNC = "ASYNC_FLUSH";
    private static final Duration FORMAT = Duration.ofSeconds(60);

    /**
     * Formats an empty folder and starts a node in it.
     *
     * @throws IllegalArgumentException for another flush than ASYNC_FLUSH
     */
    static KafkaServer start(Path directory, String flush) throws IOException {
        if (!flush.equals(ASYNC)) {
            throw new IllegalArgumentException("Kafka is measured with " + ASYNC + " only, not with " + flush);
        }
        Path home = Files.createDirectories(directory.resolve("kafka"));
        int port = FreePorts.one();
        Path settings = Files.writeString(home.resolve("server.properties"), settings(home, port, otherPort(port)));
        format(home, settings);
        JavaProcess node = java("node", "kafka.Kafka", home)
                .options("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20")
                .options("-XX:InitiatingHeapOccupancyPercent=35", "-Djava.awt.headless=true")
                .arguments(settings.toString())
                .start();
        Ports.await(port, node);
        return new KafkaServer("127.0.0.1:" + port, node);
    }

    private static int otherPort(int taken) {
        int port = FreePorts.one();
        return port == taken ? otherPort(taken) : port;
    }

    private static String settings(Path home, int port, int controllerPort) {
        return String.join(
                "\n",
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
                "controller.listener.names=CONTROLLER",
                "log.dirs=" + home.resolve("logs"),
                "log.segment.bytes=" + (1 << 30),
                "num.partitions=4",
                "auto.create.topics.enable=false",
                "offsets.topic.replication.factor=1",
                "group.initial.rebalance.delay.ms=0",
                "");
    }

    private static void format(Path home, Path settings) throws IOException {
        JavaProcess format = java("format", "kafka.tools.StorageTool", home)
                .arguments("format", "--cluster-id", clusterId(), "--config", settings.toString())
                .start();
        if (format.awaitExit(FORMAT) != 0) {
            throw new IOException("formatting " + home + " failed\n" + format.stdout() + format.stderr());
        }
    }

    /** An id as the tool wants it: a UUID in 22 characters. */
    private static String clusterId() {
        UUID id = UUID.randomUUID();
        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    private static JavaCommand java(String name, String mainClass, Path home) {
        return new JavaCommand(name, mainClass, StockPeer.KAFKA4.classPath(), home);
    }

    @Override
    public void close() {
        broker.close();
    }
}
