package dev.perigee.harness;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A JVM with a stock client, scripted over pipes. {@link #call} sends a command of {@code dev.perigee.stock.Driver} and waits for its
 * answer; {@link #producer}, {@link #consumer} and {@link #puller} wrap the usual ones. Thread-safe.
 */
public final class StockDriver implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 90;
    private static final Duration READABLE = Duration.ofSeconds(60);

    private final StockPeer peer;
    private final String namesrv;
    private final JavaProcess process;
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, CompletableFuture<JSONObject>> pending = new ConcurrentHashMap<>();
    private final Map<String, List<Received>> received = new ConcurrentHashMap<>();
    private final Map<String, List<Sent>> replied = new ConcurrentHashMap<>();
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    /** Asks how far queues reach; only at stock brokers. */
    private volatile @Nullable StockPuller ends;

    private StockDriver(StockPeer peer, String namesrv, JavaProcess process) {
        this.peer = peer;
        this.namesrv = namesrv;
        this.process = process;
    }

    /** Starts a driver whose clients use {@code namesrv}; broadcasting offsets and logs stay below {@code directory}. */
    public static StockDriver start(StockPeer peer, Path directory, String namesrv, String... jvmOptions)
            throws IOException {
        Path home = Files.createDirectories(directory.toAbsolutePath());
        JavaProcess process = new JavaCommand("driver", "dev.perigee.stock.Driver", peer.classPath(), home)
                .options("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .options(jvmOptions)
                .speaksOnStdout()
                .start();
        StockDriver driver = new StockDriver(peer, namesrv, process);
        Thread reader = new Thread(driver::readAnswers, "driver-" + process.pid());
        reader.setDaemon(true);
        reader.start();
        await("ready", driver.ready);
        return driver;
    }

    /**
     * The same with clients that heartbeat, look up routes and rebalance every second. The 5.x consumer needs it to start promptly: when
     * its start meets the heartbeat its own new connection sets off, it skips its own and the first rebalance, and sits idle for 20 to 30
     * seconds.
     */
    public static StockDriver impatient(StockPeer peer, Path directory, String namesrv, String... jvmOptions)
            throws IOException {
        List<String> options =
                new ArrayList<>(List.of("-Ddriver.impatient=true", "-Drocketmq.client.rebalance.waitInterval=1000"));
        options.addAll(List.of(jvmOptions));
        return start(peer, directory, namesrv, options.toArray(String[]::new));
    }

    /**
     * Says that its brokers are stock ones, which tell a producer that its message is stored before they have put it into its queue. From
     * now on a send returns when what was acknowledged can be read. Perigee promises that itself, and drivers of ours ask it at once.
     */
    public StockDriver atStockBrokers() {
        ends = puller("ends-of-queues");
        return this;
    }

    /** Whether somebody said that its brokers are stock ones. */
    public boolean isAtStockBrokers() {
        return ends != null;
    }

    /** Waits, at stock brokers only, until queues reach as far as acknowledged sends of {@code each} messages say. */
    void awaitReadable(String topic, List<Sent> sent, int each) {
        StockPuller puller = ends;
        if (puller == null) {
            return;
        }
        Map<QueueAt, Long> reach = new HashMap<>();
        sent.stream().filter(Sent::isOk).forEach(one -> {
            QueueAt queue = new QueueAt(topic, one.broker(), one.queueId());
            reach.merge(queue, one.queueOffset() + each, Math::max);
        });
        reach.forEach((queue, end) -> Awaitility.await("all that was sent is in " + queue)
                .atMost(READABLE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .ignoreExceptions()
                .until(() -> puller.max(queue) >= end));
    }

    private void readAnswers() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.answers(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                dispatch(JSON.parseObject(line));
            }
        } catch (IOException broken) {
            ready.completeExceptionally(broken);
        }
        IllegalStateException gone = new IllegalStateException(process + " is gone\n" + process.stderr());
        ready.completeExceptionally(gone);
        pending.values().forEach(answer -> answer.completeExceptionally(gone));
    }

    private void dispatch(JSONObject line) {
        String event = line.getString("event");
        if (event == null) {
            CompletableFuture<JSONObject> answer = pending.remove(line.getLong("id"));
            if (answer != null) {
                answer.complete(line);
            }
        } else if (event.equals("message")) {
            inbox(line.getString("consumer")).add(new Received(line));
        } else if (event.equals("reply")) {
            replies(line.getString("consumer")).add(Sent.of(line));
        } else {
            ready.complete(true);
        }
    }

    List<Received> inbox(String consumer) {
        return received.computeIfAbsent(consumer, name -> new CopyOnWriteArrayList<>());
    }

    List<Sent> replies(String consumer) {
        return replied.computeIfAbsent(consumer, name -> new CopyOnWriteArrayList<>());
    }

    /** Sends a command and waits. {@code options} are keys and values in turn. */
    public JSONObject call(String command, Object... options) {
        return finish(command, await(command, ask(command, options)));
    }

    /** Sends a command and lets the caller wait; the answer may be a failure ({@code ok} false). */
    public CompletableFuture<JSONObject> ask(String command, Object... options) {
        JSONObject line = new JSONObject();
        for (int i = 0; i < options.length; i += 2) {
            line.put((String) options[i], options[i + 1]);
        }
        long id = ids.incrementAndGet();
        line.put("id", id);
        line.put("cmd", command);
        line.putIfAbsent("namesrv", namesrv);
        CompletableFuture<JSONObject> answer = new CompletableFuture<>();
        pending.put(id, answer);
        write(line.toJSONString() + "\n");
        return answer;
    }

    private synchronized void write(String line) {
        try {
            OutputStream stdin = process.stdin();
            stdin.write(line.getBytes(StandardCharsets.UTF_8));
            stdin.flush();
        } catch (IOException gone) {
            throw new UncheckedIOException(process + " is gone\n" + process.stderr(), gone);
        }
    }

    static JSONObject finish(String command, JSONObject answer) {
        if (!answer.getBooleanValue("ok")) {
            throw new DriverException(command, answer.getJSONObject("error"));
        }
        return answer;
    }

    private static <T> T await(String what, CompletableFuture<T> answer) {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            throw new IllegalStateException(what, failure.getCause());
        } catch (TimeoutException late) {
            throw new IllegalStateException("the driver did not answer: " + what, late);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(what, stop);
        }
    }

    /** Starts a producer. Options as for {@code producer.start}. */
    public StockProducer producer(String group, Object... options) {
        return StockProducer.start(this, name(group), group, options);
    }

    /** Starts a push consumer that begins at the first offset unless told otherwise. Options as for {@code push.start}. */
    public StockConsumer consumer(String group, String topic, Object... options) {
        return StockConsumer.start(this, name(group), group, topic, options);
    }

    /** Starts a plain pull consumer. */
    public StockPuller puller(String group, Object... options) {
        return StockPuller.start(this, name(group), group, options);
    }

    private String name(String group) {
        return group + "#" + ids.incrementAndGet();
    }

    static List<Received> messages(JSONObject answer) {
        JSONArray messages = answer.getJSONArray("messages");
        return messages.toList(JSONObject.class).stream().map(Received::new).toList();
    }

    /** Keys and values of {@code first}, then those of {@code more}. */
    static Object[] with(Object[] more, Object... first) {
        Object[] all = new Object[first.length + more.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return all;
    }

    /** Which client this is. */
    public StockPeer peer() {
        return peer;
    }

    /** The driver's JVM. */
    public JavaProcess process() {
        return process;
    }

    /** Ends the driver as a crash would: its clients say no goodbye. */
    @Override
    public void close() {
        process.kill();
    }
}
