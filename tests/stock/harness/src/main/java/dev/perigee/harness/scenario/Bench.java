package dev.perigee.harness.scenario;

import static org.awaitility.Awaitility.await;

import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.StockPuller;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The workbench of the client scenarios: one driver, a producer and a puller shared by all, and names nobody else uses. */
final class Bench {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final StockDriver driver;
    private final StockProducer producer;
    private final StockPuller puller;

    Bench(StockDriver driver) {
        this.driver = driver;
        producer = driver.producer(fresh("bench-producer"));
        puller = driver.puller(fresh("bench-puller"));
    }

    StockDriver driver() {
        return driver;
    }

    StockProducer producer() {
        return producer;
    }

    StockPuller puller() {
        return puller;
    }

    /** A name no other scenario has. */
    static String fresh(String prefix) {
        return prefix + "-" + ProcessHandle.current().pid() + "-" + NAMES.incrementAndGet();
    }

    /** Creates a topic and waits until clients can see all its queues. */
    String topic(int queues) {
        return topic(fresh("topic"), queues);
    }

    String topic(String topic, int queues) {
        // The client gives each broker five seconds, which a busy machine may take for the first request of a JVM.
        await("creation of " + topic).atMost(PATIENCE).ignoreExceptions().until(() -> {
            producer.createTopic(topic, queues);
            return true;
        });
        await("route of " + topic)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> producer.queues(topic).size() == queues);
        return topic;
    }
}
