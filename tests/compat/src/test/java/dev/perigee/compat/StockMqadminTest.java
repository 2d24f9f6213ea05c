package dev.perigee.compat;

import dev.perigee.harness.StockAdmin;
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
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Stock mqadmin runs Perigee. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockMqadminTest {
    private static final String CLUSTER = "mqadmin's cluster";

    private PerigeeProcess perigee;
    private StockDriver driver;
    private StockAdmin admin;
    private StockAdmin admin4;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        perigee = PerigeeProcess.up(folder.resolve("perigee"));
        driver = StockDriver.impatient(
                StockPeer.CLIENT5, folder.resolve("driver"), perigee.target().namesrv());
        admin = new StockAdmin(StockPeer.TOOLS5, folder.resolve("admin"));
        admin4 = new StockAdmin(StockPeer.TOOLS4, folder.resolve("admin4"));
    }

    @AfterAll
    void stop() {
        driver.close();
        perigee.close();
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = CLUSTER, mode = ResourceAccessMode.READ)
    Stream<DynamicTest> mqadmin() {
        return ScenarioTests.of(StockScenarios.admin(admin, driver, perigee.target()));
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock(value = CLUSTER, mode = ResourceAccessMode.READ)
    Stream<DynamicTest> groupsWithMqadmin4() {
        return ScenarioTests.of(StockScenarios.groups(admin4, driver, perigee.target()));
    }

    @TestFactory
    @ResourceLock(CLUSTER)
    Stream<DynamicTest> mqadminAlone() {
        return ScenarioTests.of(StockScenarios.adminAlone(admin, driver, perigee.target()));
    }
}
