package dev.perigee.it;

import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;

/** A stock producer that never stops sending and a stock consumer that reads the topic, with what they were told and shown. */
final class StockLoad implements AutoCloseable {
    /** What every message says. */
    static final String BODY = "from a stock producer";

    private static final int FIRST = 20;
    private static final int TIMEOUT_MS = 1_000;

    private final StockDriver driver;
    private final StockProducer producer;
    private final StockConsumer consumer;
    private final String topic;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Sent> acknowledged = new CopyOnWriteArrayList<>();
    private final Thread thread = new Thread(this::send, "stock-sender");

    /** Starts both; returns when the producer was told of some messages, and the consumer shown some. Blocks. */
    StockLoad(Path directory, String namesrv, String topic) throws IOException {
        this.topic = topic;
        driver = StockDriver.impatient(StockPeer.CLIENT5, directory, namesrv);
        producer = driver.producer("refused_stock_sender");
        consumer = driver.consumer("refused_stock_reader", topic);
        thread.start();
        Awaitility.await("the stock load").atMost(Duration.ofMinutes(1)).until(() -> acknowledged.size() >= FIRST);
        List<Received> unused = consumer.await(FIRST);
    }

    private void send() {
        while (!stopped.get()) {
            producer.send("sync", topic, "body", BODY, "timeoutMs", TIMEOUT_MS).stream()
                    .filter(Sent::isOk)
                    .forEach(acknowledged::add);
        }
    }

    List<Sent> acknowledged() {
        return acknowledged;
    }

    List<Received> seen() {
        return consumer.received();
    }

    @Override
    public void close() {
        stopped.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        driver.close();
    }
}
