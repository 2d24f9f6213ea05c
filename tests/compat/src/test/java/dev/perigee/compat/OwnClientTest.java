package dev.perigee.compat;

import dev.perigee.harness.StockCluster;
import dev.perigee.harness.own.PerigeeProcess;
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

/** Perigee's own client against Perigee, and against a stock NameServer and broker. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnClientTest {
    private Path folder;
    private PerigeeProcess perigee;
    private StockCluster stock;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        folder = directory;
        perigee = PerigeeProcess.upAskingSoon(directory.resolve("perigee"));
        stock = new StockCluster(directory.resolve("stock")).asksSoon().start();
    }

    @AfterAll
    void stop() {
        stock.close();
        perigee.close();
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> withPerigee() {
        OwnBench bench = new OwnBench(perigee.target(), folder.resolve("p"));
        return Stream.of(new OwnClientScenarios(bench).all(), new OwnPullScenarios(bench).all())
                .flatMap(ScenarioTests::of);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> kindsWithPerigee() {
        OwnBench bench = new OwnBench(perigee.target(), folder.resolve("kp"));
        return Stream.of(
                        new OwnTransactionScenarios(bench).all(),
                        new OwnTransactionScenarios(bench).ofPerigee(),
                        new OwnDelayScenarios(bench).all(),
                        new OwnDelayScenarios(bench).ofPerigee(),
                        new OwnRequestScenarios(bench).all())
                .flatMap(ScenarioTests::of);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> kindsWithAStockCluster() {
        OwnBench bench = OwnBench.atStock(stock.target(), folder.resolve("ks"));
        return Stream.of(
                        new OwnTransactionScenarios(bench).all(),
                        new OwnDelayScenarios(bench).all(),
                        new OwnRequestScenarios(bench).all())
                .flatMap(ScenarioTests::of);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> checksByNumber() {
        return ScenarioTests.of(new OwnCheckScenarios(new OwnBench(perigee.target(), folder.resolve("c"))).all());
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> withAStockCluster() {
        OwnBench bench = OwnBench.atStock(stock.target(), folder.resolve("s"));
        return Stream.of(new OwnClientScenarios(bench).all(), new OwnPullScenarios(bench).all())
                .flatMap(ScenarioTests::of);
    }
}
