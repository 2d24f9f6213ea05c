package dev.perigee.bench.runner;

import dev.perigee.bench.runner.server.Group;
import dev.perigee.bench.runner.server.Member;
import dev.perigee.bench.runner.server.ServerKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A group whose members live behind links, with a topic, and clients that send to it all the time. For one thread. */
final class ProbedGroup implements AutoCloseable {
    private static final String TOPIC = "bench";
    private static final long PATIENCE_MS = 90_000;
    private static final long LOOK_MS = 50;
    private static final int TRIES = 5;

    private final Group group;
    private final List<ProbeClient> clients = new ArrayList<>();

    /** Starts all and returns when every client has had an acknowledgement. */
    ProbedGroup(Settings settings, Path folder, ServerKind kind, String flush, int everyMs)
            throws IOException, InterruptedException {
        group = kind.startApart(folder, flush);
        try {
            createTopic(settings, folder);
            for (ProbeClient.Kind client : ProbeClient.Kind.ALL) {
                clients.add(new ProbeClient(settings.root(), folder, client, group.bootstrap(), everyMs));
            }
            awaitWhole();
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** More than once, for the stock client gives a broker that has just begun no time. */
    private void createTopic(Settings settings, Path folder) throws IOException, InterruptedException {
        Map<String, String> create = Map.of(
                "mode",
                "create",
                "servers",
                group.bootstrap(),
                "topic",
                TOPIC,
                "queues",
                Integer.toString(Scenario.QUEUES));
        for (int i = 0; i < TRIES; i++) {
            if (LoadClient.STOCK.run(settings.root(), folder, create, group).isSound()) {
                return;
            }
        }
        throw new IllegalStateException("the topic could not be created");
    }

    List<ProbeClient> clients() {
        return clients;
    }

    List<Member> members() {
        return group.members();
    }

    /** Who leads, as the NameServer says. */
    Member leader() {
        return group.leader().orElseThrow(() -> new IllegalStateException("nobody leads"));
    }

    /** Waits until every client has had an acknowledgement of a send that began at that time or later; whether that came. */
    boolean awaitAcknowledged(long sinceMs) throws InterruptedException {
        return awaits(() -> clients.stream()
                .allMatch(client -> client.probes().acknowledged(sinceMs).isPresent()));
    }

    /** Waits until all clients are served and all members have what there is. */
    void awaitWhole() throws InterruptedException {
        if (!awaitAcknowledged(System.currentTimeMillis()) || !awaits(() -> group.isWhole(TOPIC))) {
            throw new IllegalStateException("the group is not whole again: " + group.members());
        }
    }

    private static boolean awaits(BooleanSupplier condition) throws InterruptedException {
        long deadlineMs = System.currentTimeMillis() + PATIENCE_MS;
        while (!condition.getAsBoolean()) {
            if (System.currentTimeMillis() > deadlineMs) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        return true;
    }

    @Override
    public void close() {
        clients.forEach(ProbeClient::close);
        group.close();
    }
}
