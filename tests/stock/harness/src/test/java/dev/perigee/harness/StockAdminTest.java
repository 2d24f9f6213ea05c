package dev.perigee.harness;

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

/** Stock mqadmin against a stock cluster. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockAdminTest {
    private StockCluster cluster;
    private StockDriver driver;
    private StockAdmin admin;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        cluster = new StockCluster(folder.resolve("cluster")).start();
        driver = StockDriver.impatient(
                StockPeer.CLIENT5, folder.resolve("driver"), cluster.target().namesrv());
        admin = new StockAdmin(StockPeer.TOOLS5, folder.resolve("admin"));
    }

    @AfterAll
    void stop() {
        driver.close();
        cluster.close();
    }

    @TestFactory
    Stream<DynamicTest> mqadmin() {
        return StockScenarios.admin(admin, driver, cluster.target()).stream()
                .map(scenario -> DynamicTest.dynamicTest(scenario.name(), scenario::run));
    }
}
