package dev.perigee.harness;

import dev.perigee.harness.scenario.Scenario;
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

/** The scenarios hold between stock clients and a stock cluster; otherwise they would prove nothing about ours. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockMessagingTest {
    private StockCluster cluster;
    private StockDriver five;
    private StockDriver four;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        cluster = new StockCluster(folder.resolve("cluster")).asksSoon().start();
        String namesrv = cluster.target().namesrv();
        five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
        four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), namesrv);
    }

    @AfterAll
    void stop() {
        five.close();
        four.close();
        cluster.close();
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> clientsOfFive() {
        return Stream.concat(all(five), StockScenarios.codecs(five).stream().map(StockMessagingTest::test));
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
                        StockScenarios.transactions(driver),
                        StockScenarios.requests(driver),
                        StockScenarios.bodies(driver),
                        StockScenarios.checks(driver))
                .flatMap(scenarios -> scenarios.stream().map(StockMessagingTest::test));
    }

    private static DynamicTest test(Scenario scenario) {
        return DynamicTest.dynamicTest(scenario.name(), scenario::run);
    }
}
