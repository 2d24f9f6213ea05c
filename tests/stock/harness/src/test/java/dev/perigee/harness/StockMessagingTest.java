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

/**
 * The scenarios hold between stock clients and a stock cluster; otherwise they would prove nothing about ours. One that fails is played
 * again, with names of its own as each time, and only one that fails every time is red: stock peers have races of their own, and it is
 * not them that are examined here. What failed on the way is printed. Against Perigee each scenario has only one try.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockMessagingTest {
    private static final int TRIES = 3;

    private StockCluster cluster;
    private StockDriver five;
    private StockDriver four;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        cluster = new StockCluster(folder.resolve("cluster")).asksSoon().start();
        String namesrv = cluster.target().namesrv();
        five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), namesrv)
                .atStockBrokers();
        four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), namesrv)
                .atStockBrokers();
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
        return DynamicTest.dynamicTest(scenario.name(), () -> play(scenario));
    }

    private static void play(Scenario scenario) throws Exception {
        for (int tries = 1; tries < TRIES; tries++) {
            try {
                scenario.run();
                return;
            } catch (Exception | AssertionError failure) {
                System.err.println("try " + tries + " of \"" + scenario + "\" failed, once more:");
                failure.printStackTrace();
            }
        }
        scenario.run();
    }
}
