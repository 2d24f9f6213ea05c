package dev.perigee.harness.scenario;

import static org.awaitility.Awaitility.await;

import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.StockPuller;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;

/** The workbench of the client scenarios: one driver, a producer and a puller shared by all, and names nobody else uses. */
final class Bench {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Settings of a producer: a busy machine may take longer for a send than clients wait by default. */
    static final Map<String, Object> PATIENT = Map.of("sendMsgTimeout", 60_000);

    private static final Duration SEEN = Duration.ofSeconds(15);
    private static final int AGAIN = 3;

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final StockDriver driver;
    private final StockProducer producer;
    private final StockPuller puller;

    Bench(StockDriver driver) {
        this.driver = driver;
        producer = driver.producer(fresh("bench-producer"), "settings", PATIENT);
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
        create(topic, queues);
        // A stock NameServer passes over a topic's change whose version came with another one's before, and a stock
        // broker tells again only what has changed.
        for (int again = 0; driver.isAtStockBrokers() && again < AGAIN && !isSeen(topic, queues); again++) {
            create(topic, queues + 1);
            create(topic, queues);
        }
        routed(topic, queues, PATIENCE);
        return topic;
    }

    private void create(String topic, int queues) {
        // The client gives each broker five seconds, which a busy machine may take for the first request of a JVM.
        await("creation of " + topic).atMost(PATIENCE).ignoreExceptions().until(() -> {
            producer.createTopic(topic, queues);
            return true;
        });
    }

    private boolean isSeen(String topic, int queues) {
        try {
            routed(topic, queues, SEEN);
            return true;
        } catch (ConditionTimeoutException undone) {
            return false;
        }
    }

    private void routed(String topic, int queues, Duration patience) {
        await("route of " + topic)
                .atMost(patience)
                .ignoreExceptions()
                .until(() -> producer.queues(topic).size() == queues);
    }
}
