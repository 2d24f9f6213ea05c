package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;
import java.util.List;

/** A stock producer inside a driver. */
public final class StockProducer implements AutoCloseable {
    private final StockDriver driver;
    private final String name;

    private StockProducer(StockDriver driver, String name) {
        this.driver = driver;
        this.name = name;
    }

    static StockProducer start(StockDriver driver, String name, String group, Object... options) {
        driver.call("producer.start", StockDriver.with(options, "name", name, "group", group));
        return new StockProducer(driver, name);
    }

    /**
     * Sends. {@code mode} is sync, async, oneway, batch, selector, queue or transaction; the options are those of {@code send}: count,
     * body or bodySize and random, tags, keys, properties, delayLevel, argument, broker and queueId, timeoutMs.
     */
    public List<Sent> send(String mode, String topic, Object... options) {
        JSONObject answer = driver.call("send", StockDriver.with(options, "name", name, "mode", mode, "topic", topic));
        return mode.equals("oneway")
                ? List.of()
                : answer.getJSONArray("results").toList(JSONObject.class).stream()
                        .map(Sent::of)
                        .toList();
    }

    /** Sends {@code count} messages one by one, bodies {@code message 0} and up. */
    public List<Sent> send(String topic, int count) {
        return send("sync", topic, "count", count);
    }

    /** Sends from {@code threads} threads for a while; answers sent, failed, perSecond, p50Us, p99Us, p999Us. */
    public JSONObject load(String topic, int threads, long millis, int bodySize) {
        return driver.call(
                "load", "name", name, "topic", topic, "threads", threads, "millis", millis, "bodySize", bodySize);
    }

    /** The queues it may send to, asked of the NameServer. */
    public List<QueueAt> queues(String topic) {
        return QueueAt.listOf(driver.call("producer.queues", "name", name, "topic", topic));
    }

    /** Creates a topic by the client's own call. */
    public void createTopic(String topic, int queues) {
        driver.call("producer.createTopic", "name", name, "topic", topic, "queues", queues);
    }

    /** Takes a delayed message back by the handle of its send; answers its id. Only clients of 5.x can. */
    public String recall(String topic, String handle) {
        return driver.call("producer.recall", "name", name, "topic", topic, "handle", handle)
                .getString("msgId");
    }

    /** Shuts it down. */
    @Override
    public void close() {
        driver.call("producer.stop", "name", name);
    }
}
