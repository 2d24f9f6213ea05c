package dev.perigee.harness;

import dev.perigee.harness.scenario.Scenario;
import dev.perigee.harness.scenario.StockScenarios;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Stock mqadmin against a stock cluster. */
@Tag("soak")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockAdminTest {
    private StockCluster cluster;
    private StockDriver driver;
    private StockAdmin admin;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        cluster = new StockCluster(folder.resolve("cluster")).start();
        driver = StockDriver.impatient(
                        StockPeer.CLIENT5,
                        folder.resolve("driver"),
                        cluster.target().namesrv())
                .atStockBrokers();
        admin = new StockAdmin(StockPeer.TOOLS5, folder.resolve("admin"));
    }

    @AfterAll
    void stop() {
        driver.close();
        cluster.close();
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = "cluster", mode = ResourceAccessMode.READ)
    Stream<DynamicTest> mqadmin() {
        return tests(StockScenarios.admin(admin, driver, cluster.target()));
    }

    @TestFactory
    @ResourceLock("cluster")
    Stream<DynamicTest> mqadminAlone() {
        return tests(StockScenarios.adminAlone(admin, driver, cluster.target()));
    }

    private static Stream<DynamicTest> tests(List<Scenario> scenarios) {
        return scenarios.stream().map(scenario -> DynamicTest.dynamicTest(scenario.name(), scenario::run));
    }
}
