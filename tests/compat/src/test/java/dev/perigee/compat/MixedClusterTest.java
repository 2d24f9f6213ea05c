package dev.perigee.compat;

import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.Target;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.harness.scenario.StockScenarios;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A NameServer of one make routes to a broker of the other, as during a move from one to the other. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MixedClusterTest {
    private final List<AutoCloseable> started = new ArrayList<>();

    private <T extends AutoCloseable> T keep(T part) {
        started.add(0, part);
        return part;
    }

    /** Their folders stay: they would be deleted with each method, while a process may still write there. */
    @AfterAll
    void stop() throws Exception {
        for (AutoCloseable part : started) {
            part.close();
        }
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> stockBrokerAtOurNameServer(@TempDir(cleanup = CleanupMode.NEVER) Path folder)
            throws IOException {
        PerigeeProcess namesrv = keep(PerigeeProcess.namesrv(folder.resolve("namesrv")));
        StockCluster broker = keep(new StockCluster(folder.resolve("broker"))
                .registeredAt(namesrv.target().namesrv()));
        broker.startBroker();
        return ScenarioTests.of(scenarios(
                folder, broker.target(), driver(folder, broker.target()).atStockBrokers()));
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> ourBrokerAtAStockNameServer(@TempDir(cleanup = CleanupMode.NEVER) Path folder)
            throws IOException {
        StockCluster namesrv = keep(new StockCluster(folder.resolve("namesrv")));
        namesrv.startNamesrv();
        PerigeeProcess broker = keep(
                PerigeeProcess.broker(folder.resolve("broker"), namesrv.target().namesrv(), java.util.Map.of()));
        return ScenarioTests.of(scenarios(folder, broker.target(), driver(folder, broker.target())));
    }

    private StockDriver driver(Path folder, Target target) throws IOException {
        return keep(StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("driver"), target.namesrv()));
    }

    private static List<Scenario> scenarios(Path folder, Target target, StockDriver driver) {
        StockAdmin admin = new StockAdmin(StockPeer.TOOLS5, folder.resolve("admin"));
        List<Scenario> scenarios = new ArrayList<>(StockScenarios.sending(driver));
        scenarios.addAll(StockScenarios.topics(admin, driver, target));
        return scenarios;
    }
}
