package dev.perigee.compat;

import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.harness.FreePorts;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three brokers of a group in processes of their own, the NameServer they register at, a topic, and a client that looks at them. */
final class RunningGroup implements AutoCloseable {
    static final String TOPIC = "agreed-on";
    static final int QUEUES = 4;
    /** Where the machine is so busy that an election takes seconds, one may follow another. */
    static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final int SIZE = 3;
    private static final String PATIENCE_MS = "10000";
    /** For a busy machine. */
    private static final String ELECTION_MS = "3000";

    private final Path folder;
    private final String peers;
    private final PerigeeProcess names;
    private final List<PerigeeProcess> brokers = new ArrayList<>();
    private final AdminClient admin;

    RunningGroup(Path folder) throws IOException {
        this.folder = folder;
        names = PerigeeProcess.namesrv(folder.resolve("names"));
        peers = IntStream.range(0, SIZE)
                .mapToObj(i -> "n" + i + "-127.0.0.1:" + FreePorts.one())
                .collect(Collectors.joining(";"));
        for (int i = 0; i < SIZE; i++) {
            brokers.add(start("n" + i, peers));
        }
        admin = new OwnBench(names.target(), folder).admin();
        PerigeeProcess unused = master();
        await("the topic").atMost(PATIENCE).ignoreExceptions().until(() -> {
            admin.topics().createOrUpdate(TopicConfig.of(TOPIC, QUEUES));
            return admin.topics().queues(TOPIC).size() == QUEUES;
        });
    }

    private PerigeeProcess start(String id, String peersOfIt) throws IOException {
        return PerigeeProcess.broker(
                folder.resolve(id),
                namesrv(),
                Map.of(
                        "enableDLegerCommitLog", "true",
                        "dLegerGroup", "agreeing",
                        "dLegerPeers", peersOfIt,
                        "dLegerSelfId", id,
                        "raftElectionTimeout", ELECTION_MS,
                        "syncFlushTimeout", PATIENCE_MS,
                        "waitTimeMillsInSendQueue", PATIENCE_MS));
    }

    /** One more broker with an empty folder and the same peers and itself, which nobody has added yet. */
    PerigeeProcess startAnother(String id) throws IOException {
        PerigeeProcess another = start(id, peers + ";" + id + "-127.0.0.1:" + FreePorts.one());
        brokers.add(another);
        return another;
    }

    String namesrv() {
        return names.target().namesrv();
    }

    AdminClient admin() {
        return admin;
    }

    /** Who leads and serves as the master; waited for. */
    PerigeeProcess master() {
        return await("a master")
                .atMost(PATIENCE)
                .until(() -> brokers.stream().filter(this::leads).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    /** All, the first is {@code n0}. */
    List<PerigeeProcess> brokers() {
        return List.copyOf(brokers);
    }

    /** How often one of them was made the leader because the one before had told it to stand, and not after a timeout. */
    long handOvers() throws IOException {
        long count = 0;
        for (int i = 0; i < brokers.size(); i++) {
            Path log = folder.resolve("n" + i).resolve("store/logs/perigee.log");
            try (Stream<String> lines = Files.lines(log)) {
                count += lines.filter(line -> line.contains("to=LEADER") && line.contains("reason=\"TRANSFER\""))
                        .count();
            }
        }
        return count;
    }

    private boolean leads(PerigeeProcess broker) {
        try {
            return broker.process().isAlive()
                    && admin.brokers().haStatus(broker.target().broker()).master();
        } catch (ClientException e) {
            return false;
        }
    }

    @Override
    public void close() {
        admin.close();
        brokers.forEach(PerigeeProcess::kill);
        names.close();
    }
}
