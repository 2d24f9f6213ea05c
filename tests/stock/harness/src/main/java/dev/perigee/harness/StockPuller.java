package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A stock plain pull consumer inside a driver: reads by queue and offset, asks for offsets and messages. */
public final class StockPuller implements AutoCloseable {
    private final StockDriver driver;
    private final String name;

    private StockPuller(StockDriver driver, String name) {
        this.driver = driver;
        this.name = name;
    }

    static StockPuller start(StockDriver driver, String name, String group, Object... options) {
        driver.call("pull.start", StockDriver.with(options, "name", name, "group", group));
        return new StockPuller(driver, name);
    }

    /** What a pull answered. */
    public record Pulled(String status, long next, long min, long max, List<Received> messages) {
        static Pulled of(JSONObject answer) {
            return new Pulled(
                    answer.getString("status"),
                    answer.getLongValue("next"),
                    answer.getLongValue("min"),
                    answer.getLongValue("max"),
                    StockDriver.messages(answer));
        }
    }

    /** Pulls once without waiting at the broker. Options: expr, type, max. */
    public Pulled pull(QueueAt queue, long offset, Object... options) {
        return Pulled.of(call("pull.pull", queue, StockDriver.with(options, "offset", offset)));
    }

    /** Starts a pull that waits at the broker. */
    public CompletableFuture<Pulled> pullBlocking(QueueAt queue, long offset) {
        return driver.ask("pull.pull", options(queue, "offset", offset, "block", true))
                .thenApply(Pulled::of);
    }

    /** The queues of a topic one may read. */
    public List<QueueAt> queues(String topic) {
        return QueueAt.listOf(driver.call("pull.queues", "name", name, "topic", topic));
    }

    /** Smallest offset still there. */
    public long min(QueueAt queue) {
        return call("pull.min", queue).getLongValue("offset");
    }

    /** Offset the next message will get. */
    public long max(QueueAt queue) {
        return call("pull.max", queue).getLongValue("offset");
    }

    /** The sum of the ends of all queues of a topic. */
    public long total(String topic) {
        return queues(topic).stream().mapToLong(this::max).sum();
    }

    /** Every message of a topic, queue by queue. */
    public List<Received> all(String topic) {
        return queues(topic).stream().flatMap(queue -> all(queue).stream()).toList();
    }

    private List<Received> all(QueueAt queue) {
        List<Received> found = new ArrayList<>();
        long end = max(queue);
        for (long offset = min(queue); offset < end; ) {
            Pulled pulled = pull(queue, offset);
            found.addAll(pulled.messages());
            offset = Math.max(offset + 1, pulled.next());
        }
        return found;
    }

    /** First offset at or after a store time. */
    public long search(QueueAt queue, long timestamp) {
        return call("pull.search", queue, "timestamp", timestamp).getLongValue("offset");
    }

    /** First offset at or after a store time ({@code lower}), or last at or before it ({@code upper}); clients of 5.x only. */
    public long search(QueueAt queue, long timestamp, String boundary) {
        return call("pull.search", queue, "timestamp", timestamp, "boundary", boundary)
                .getLongValue("offset");
    }

    /** Store time of the oldest message. */
    public long earliest(QueueAt queue) {
        return call("pull.earliest", queue).getLongValue("offset");
    }

    /** Stores an offset at the broker. */
    public void commit(QueueAt queue, long offset) {
        call("pull.commit", queue, "offset", offset);
    }

    /** The offset stored at the broker; -1 when there is none. */
    public long committed(QueueAt queue) {
        return call("pull.committed", queue).getLongValue("offset");
    }

    /** Finds one message by either id. */
    public Received view(String topic, String msgId) {
        return new Received(driver.call("pull.view", "name", name, "topic", topic, "msgId", msgId)
                .getJSONObject("message"));
    }

    /** Finds messages by key. Options: max of each broker, begin and end of their store times. */
    public List<Received> query(String topic, String key, Object... options) {
        return StockDriver.messages(
                driver.call("pull.query", StockDriver.with(options, "name", name, "topic", topic, "key", key)));
    }

    private JSONObject call(String command, QueueAt queue, Object... more) {
        return driver.call(command, options(queue, more));
    }

    private Object[] options(QueueAt queue, Object... more) {
        return StockDriver.with(
                more, "name", name, "topic", queue.topic(), "broker", queue.broker(), "queueId", queue.queueId());
    }

    /** Shuts it down. */
    @Override
    public void close() {
        driver.call("pull.stop", "name", name);
    }
}
