package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.harness.QueueAt;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.StockPuller;
import dev.perigee.harness.Target;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.harness.scenario.StockScenarios;
import java.io.IOException;
import java.nio.file.Path;
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

    /** A stock broker takes one more than the end, and the group never gets the next message then. */
    @Test
    @ResourceLock(value = CLUSTER, mode = ResourceAccessMode.READ)
    void oneQueueIsSetUpToItsEndAndNotBeyond() throws IOException {
        String topic = "one-queue-topic";
        String group = "one-queue-group";
        StockProducer producer = driver.producer("one-queue-producer");
        await("the topic").atMost(OwnBench.PATIENCE).ignoreExceptions().until(() -> {
            producer.createTopic(topic, 1);
            return producer.queues(topic).size() == 1;
        });
        producer.send(topic, 4);
        try (StockConsumer consumer = driver.consumer(group, topic)) {
            consumer.await(4);
        }
        StockPuller offsets = driver.puller(group);
        QueueAt queue = offsets.queues(topic).get(0);
        assertThat(setTo(2, group, topic).succeeded()).isTrue();
        assertThat(offsets.committed(queue)).isEqualTo(2);
        StockAdmin.Result beyond = setTo(5, group, topic);
        assertThat(beyond.succeeded()).as(beyond.toString()).isFalse();
        assertThat(offsets.committed(queue)).isEqualTo(2);
        assertThat(setTo(4, group, topic).succeeded()).isTrue();
        assertThat(offsets.committed(queue)).isEqualTo(4);
    }

    private StockAdmin.Result setTo(long offset, String group, String topic) throws IOException {
        Target target = perigee.target();
        return admin.run(
                "resetOffsetByTime",
                "-n",
                target.namesrv(),
                "-g",
                group,
                "-t",
                topic,
                "-s",
                "now",
                "-b",
                target.broker(),
                "-q",
                "0",
                "-o",
                Long.toString(offset));
    }
}
