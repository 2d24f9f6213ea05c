package dev.perigee.compat;

import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.scenario.StockScenarios;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
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
    private PerigeeProcess perigee;
    private StockDriver five;
    private StockDriver four;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        perigee = PerigeeProcess.up(folder.resolve("perigee"));
        String namesrv = perigee.target().namesrv();
        five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
        four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), namesrv);
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
        return Stream.concat(all(five), ScenarioTests.of(StockScenarios.recalls(five)));
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> clientsOfFour() {
        return all(four);
    }

    private static Stream<DynamicTest> all(StockDriver driver) {
        return Stream.of(
                        StockScenarios.messaging(driver),
                        StockScenarios.redelivery(driver),
                        StockScenarios.sql(driver),
                        StockScenarios.delays(driver),
                        StockScenarios.delaysOfPerigee(driver),
                        StockScenarios.checks(driver),
                        StockScenarios.checksOfPerigee(driver))
                .flatMap(ScenarioTests::of);
    }
}
