package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** A stock push consumer inside a driver, with what it received. */
public final class StockConsumer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final StockDriver driver;
    private final String name;
    private final String clientId;

    private StockConsumer(StockDriver driver, String name, String clientId) {
        this.driver = driver;
        this.name = name;
        this.clientId = clientId;
    }

    static StockConsumer start(StockDriver driver, String name, String group, String topic, Object... options) {
        JSONObject started =
                driver.call("push.start", StockDriver.with(options, "name", name, "group", group, "topic", topic));
        return new StockConsumer(driver, name, started.getString("clientId"));
    }

    /** What the broker knows it as. */
    public String clientId() {
        return clientId;
    }

    /** The queues it reads at the moment, by its own word, those of its retry topic too. */
    public List<QueueAt> owned() {
        return QueueAt.listOf(driver.call("push.owned", "name", name));
    }

    /** Everything received so far, in the order the listener got it. */
    public List<Received> received() {
        return List.copyOf(driver.inbox(name));
    }

    /** The bodies received so far, in order. */
    public List<String> bodies() {
        return received().stream().map(Received::body).toList();
    }

    /** Waits until at least {@code count} messages came. */
    public List<Received> await(int count) {
        Awaitility.await(count + " messages at " + name)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> driver.inbox(name).size() >= count);
        return received();
    }

    /** What became of the replies it sent so far; it has a {@code replier} and a {@code reply} then. */
    public List<Sent> replies() {
        return List.copyOf(driver.replies(name));
    }

    /** Changes the listener: fail, latencyMs, throwing, quiet, retryLevel, suspendMs, reply. */
    public void behave(Object... options) {
        driver.call("push.behave", StockDriver.with(options, "name", name));
    }

    /** Deliveries counted in the driver; the way to count when the listener is quiet. */
    public long seen() {
        return driver.call("push.count", "name", name).getLongValue("seen");
    }

    /** Shuts it down, which commits its offsets. */
    @Override
    public void close() {
        driver.call("push.stop", "name", name);
    }
}
