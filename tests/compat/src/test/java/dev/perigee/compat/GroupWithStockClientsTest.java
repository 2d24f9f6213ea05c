package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A group of three brokers in processes of their own, with stock clients: they go on when the master is killed, or stopped. */
@Tag("full")
final class GroupWithStockClientsTest {
    private static final int MANY = 100;
    /** Where the machine is so busy that a master is one no more when it is to stop, it hands nothing over. */
    private static final int ROUNDS = 3;

    @TempDir
    private Path folder;

    private RunningGroup group;

    @BeforeEach
    void start() throws Exception {
        group = new RunningGroup(folder);
    }

    @AfterEach
    void stop() {
        group.close();
    }

    private static List<String> bodies(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(GroupWithStockClientsTest::body)
                .toList();
    }

    private static String body(int number) {
        return "message " + number;
    }

    private static boolean isSent(StockProducer producer, int number) {
        List<Sent> sent = producer.send(
                "sync", RunningGroup.TOPIC, "count", 1, "body", body(number), "timeoutMs", OwnBench.TIMEOUT_MS);
        return sent.size() == 1 && sent.get(0).isOk();
    }

    private static void awaitSent(StockProducer producer, int number) {
        await(body(number) + " is sent")
                .atMost(RunningGroup.PATIENCE)
                .pollDelay(Duration.ZERO)
                .ignoreExceptions()
                .until(() -> isSent(producer, number));
    }

    /** One after the other; on a busy machine an election may come between. */
    private static void awaitSent(StockProducer producer, int from, int to) {
        IntStream.range(from, to).forEach(number -> awaitSent(producer, number));
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT5", "CLIENT4"})
    void nothingAcknowledgedIsLostWhenTheMasterIsKilledAndClientsGoOn(StockPeer client) throws Exception {
        try (StockDriver driver = StockDriver.impatient(client, folder.resolve("driver"), group.namesrv())) {
            StockProducer producer = driver.producer("senders-" + client);
            awaitSent(producer, 0, MANY);
            PerigeeProcess first = group.master();

            first.kill();
            long killedNs = System.nanoTime();
            awaitSent(producer, MANY);
            System.out.println("sends go on " + (System.nanoTime() - killedNs) / 1_000_000 + " ms after the kill");

            assertThat(group.master()).isNotEqualTo(first);
            try (StockConsumer consumer = driver.consumer("readers-" + client, RunningGroup.TOPIC)) {
                await("all that was acknowledged")
                        .atMost(RunningGroup.PATIENCE)
                        .until(() -> consumer.bodies().containsAll(bodies(0, MANY + 1)));
                first.start();
                PerigeeProcess second = group.master();
                second.kill();
                awaitSent(producer, MANY + 1);
                await("what came after the second kill")
                        .atMost(RunningGroup.PATIENCE)
                        .until(() -> consumer.bodies().contains(body(MANY + 1)));
            }
        }
    }

    /** The place of the master is handed over first, and what comes is handed on while clients still come. */
    @Test
    void sendsGoOnWhenTheMasterIsStoppedInOrderAndAllThatWasAcknowledgedIsThere() throws Exception {
        try (StockDriver driver = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), group.namesrv())) {
            StockProducer producer = driver.producer("rolling-senders");
            awaitSent(producer, 0, MANY);
            List<String> acknowledged = new ArrayList<>(bodies(0, MANY));
            int next = MANY;
            boolean handedOver = false;
            for (int round = 0; round < ROUNDS && !handedOver; round++) {
                PerigeeProcess first = group.master();
                long before = group.handOvers();
                next = sendWhileItStops(producer, first, next, acknowledged);
                awaitSent(producer, next);
                acknowledged.add(body(next++));
                assertThat(group.master()).isNotEqualTo(first);
                handedOver = group.handOvers() > before;
                first.start();
            }
            assertThat(handedOver)
                    .as("the next one was told to lead, and did not wait for a timeout")
                    .isTrue();
            try (StockConsumer consumer = driver.consumer("rolling-readers", RunningGroup.TOPIC)) {
                await("all that was acknowledged")
                        .atMost(RunningGroup.PATIENCE)
                        .until(() -> consumer.bodies().containsAll(acknowledged));
            }
        }
    }

    /** Gives the number of the next message. */
    private static int sendWhileItStops(
            StockProducer producer, PerigeeProcess master, int from, List<String> acknowledged) throws Exception {
        Thread stopping = new Thread(master::close, "stops-the-master");
        stopping.start();
        int next = from;
        int failed = 0;
        while (stopping.isAlive()) {
            if (isSent(producer, next)) {
                acknowledged.add(body(next));
            } else {
                failed++; // where the machine is so busy that an election takes seconds
            }
            next++;
        }
        stopping.join();
        System.out.println("of " + (next - from) + " sends during the stop " + failed + " failed");
        return next;
    }
}
