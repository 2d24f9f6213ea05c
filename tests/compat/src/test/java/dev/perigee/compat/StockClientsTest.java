package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.client.transaction.TransactionState;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.harness.scenario.StockScenarios;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Stock clients of both generations send to Perigee and read from it. Of the numbered checks they cannot express two parts: a stock
 * broadcasting consumer asks for the end of a queue after its start, so K01 holds for clustering only, and clients of 4.9.x know one
 * boundary of a search by time, so K06 asks for the upper one with 5.x only. {@link OwnClientTest} has both.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockClientsTest {
    private Path folder;
    private PerigeeProcess perigee;
    private StockDriver five;
    private StockDriver four;
    private OwnBench bench;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        folder = directory;
        perigee = PerigeeProcess.upAskingSoon(folder.resolve("perigee"));
        String namesrv = perigee.target().namesrv();
        five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
        four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), namesrv);
        bench = new OwnBench(perigee.target(), folder);
    }

    @AfterAll
    void stop() {
        five.close();
        four.close();
        perigee.close();
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> clientsOfFive() {
        return Stream.of(
                        all(five),
                        ScenarioTests.of(StockScenarios.recalls(five)),
                        ScenarioTests.of(StockScenarios.badRecalls(five)),
                        ScenarioTests.of(StockScenarios.codecs(five)),
                        ScenarioTests.of(StockScenarios.priorities(five)))
                .flatMap(tests -> tests);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> clientsOfFour() {
        return all(four);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> clientsOfFiveBesideOurs() {
        return ScenarioTests.of(new MixedKindScenarios(bench, five).all());
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> clientsOfFourBesideOurs() {
        return ScenarioTests.of(new MixedKindScenarios(bench, four).all());
    }

    /** Killed without a goodbye; those that are asked then are of the two other makes. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void whatAKilledProducerLeftUndecidedIsAskedOfTheOthersOfItsGroup() throws Exception {
        int halves = 6;
        String topic = bench.topic("killed", 1);
        String group = "killed-producers";
        OwnTransactionScenarios.Book book = new OwnTransactionScenarios.Book();
        IntStream.range(0, halves).forEach(i -> book.decide("half " + i, TransactionState.COMMIT));
        try (StockDriver victim = StockDriver.impatient(
                StockPeer.CLIENT5, folder.resolve("victim"), perigee.target().namesrv())) {
            StockProducer producer = victim.producer(
                    group, "check", "UNKNOW", "settings", Map.of("sendMsgTimeout", OwnBench.TIMEOUT_MS));
            assertThat(producer.inTransaction("UNKNOW", topic, "count", halves, "body", "half {i}"))
                    .hasSize(halves)
                    .allMatch(Sent::isOk);
            victim.process().kill();
        }
        try (TransactionProducer ours = bench.transactions(group, book);
                StockProducer ofFour = four.producer(group, "check", "COMMIT_MESSAGE");
                StockConsumer consumer = five.consumer("killed-readers", topic)) {
            // A stock producer is known to brokers it has sent to.
            ofFour.inTransaction("ROLLBACK_MESSAGE", topic, "body", "hello");
            consumer.await(halves);
            assertThat(consumer.bodies())
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, halves)
                            .mapToObj(i -> "half " + i)
                            .toList());
            assertThat(ours.metrics().checks() + ofFour.checks().size()).isGreaterThanOrEqualTo(halves);
        }
    }

    private static Stream<DynamicTest> all(StockDriver driver) {
        return Stream.of(
                        StockScenarios.messaging(driver),
                        StockScenarios.redelivery(driver),
                        StockScenarios.sql(driver),
                        StockScenarios.delays(driver),
                        StockScenarios.delaysOfPerigee(driver),
                        StockScenarios.transactions(driver),
                        StockScenarios.transactionsOfPerigee(driver),
                        StockScenarios.requests(driver),
                        StockScenarios.bodies(driver),
                        StockScenarios.refusals(driver),
                        StockScenarios.checks(driver),
                        StockScenarios.checksOfPerigee(driver))
                .flatMap(ScenarioTests::of);
    }
}
