package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A stock producer inside a driver. */
public final class StockProducer implements AutoCloseable {
    private final StockDriver driver;
    private final String name;
    private final String clientId;

    private StockProducer(StockDriver driver, String name, String clientId) {
        this.driver = driver;
        this.name = name;
        this.clientId = clientId;
    }

    static StockProducer start(StockDriver driver, String name, String group, Object... options) {
        JSONObject started = driver.call("producer.start", StockDriver.with(options, "name", name, "group", group));
        return new StockProducer(driver, name, started.getString("clientId"));
    }

    /** What the broker knows it as. */
    public String clientId() {
        return clientId;
    }

    /**
     * Sends. {@code mode} is sync, async, oneway, batch, selector, queue or transaction; the options are those of {@code send}: count,
     * body or bodySize and random, tags, keys, properties, delayLevel, argument, broker and queueId, timeoutMs.
     */
    public List<Sent> send(String mode, String topic, Object... options) {
        JSONObject answer = driver.call("send", StockDriver.with(options, "name", name, "mode", mode, "topic", topic));
        if (mode.equals("oneway")) {
            return List.of();
        }
        List<Sent> sent = answer.getJSONArray("results").toList(JSONObject.class).stream()
                .map(Sent::of)
                .toList();
        Map<String, Object> given = byName(options);
        // The places of halves and of delayed messages are not those of the topic's queues.
        if (!mode.equals("transaction") && !given.containsKey("delayLevel") && !given.containsKey("systemProperties")) {
            driver.awaitReadable(topic, sent, mode.equals("batch") ? (int) given.getOrDefault("count", 1) : 1);
        }
        return sent;
    }

    private static Map<String, Object> byName(Object[] options) {
        Map<String, Object> given = new HashMap<>();
        for (int i = 0; i < options.length; i += 2) {
            given.put((String) options[i], options[i + 1]);
        }
        return given;
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

    /**
     * Sends in transactions whose local part ends as {@code state} says: COMMIT_MESSAGE, ROLLBACK_MESSAGE, UNKNOW or THROW. The producer was
     * started with the option {@code check}, its answer to checks.
     */
    public List<Sent> inTransaction(String state, String topic, Object... options) {
        return send("transaction", topic, StockDriver.with(options, "argument", state));
    }

    /** From now on checks of the message with that body are answered so. */
    public void decide(String body, String check) {
        driver.call("producer.decide", "name", name, "body", body, "check", check);
    }

    /** The half messages it was asked about so far, one for each check. */
    public List<Received> checks() {
        return List.copyOf(driver.inbox(name));
    }

    /** The same of those with that body. */
    public List<Received> checks(String body) {
        return checks().stream().filter(half -> half.body().equals(body)).toList();
    }

    /** Asks for a reply. {@code mode} is sync, async, queue or selector; the options are those of {@code send} for one message. */
    public Received request(String mode, String topic, Object... options) {
        return reply(driver.call("request", asking(mode, topic, options)));
    }

    /** The same without waiting; fails with a {@link DriverException}. */
    public CompletableFuture<Received> requestLater(String mode, String topic, Object... options) {
        return driver.ask("request", asking(mode, topic, options))
                .thenApply(answer -> reply(StockDriver.finish("request", answer)));
    }

    private Object[] asking(String mode, String topic, Object[] options) {
        return StockDriver.with(options, "name", name, "mode", mode, "topic", topic);
    }

    private static Received reply(JSONObject answer) {
        return new Received(answer.getJSONObject("reply"));
    }

    /** Its name in the driver, for consumers that reply with it. */
    public String name() {
        return name;
    }

    /** Shuts it down. */
    @Override
    public void close() {
        driver.call("producer.stop", "name", name);
    }
}
