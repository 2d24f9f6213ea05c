package dev.perigee.bench.own;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * How exactly delayed messages come: so many that are due within 30 days, then a steady stream of due times, whose messages are
 * all sent before the first of them is due. Its first seconds warm both sides up. Prints one line {@code RESULT key=value …}: of {@code store}
 * and {@code arrival}, each less the due time, percentiles in microseconds (the store time has milliseconds) of what is due after the
 * warm-up, and how many of all were early, missing or twice there; and before it the worst of each second.
 */
public final class TimersLoad {
    private static final int SEND_TIMEOUT_MS = 10_000;
    private static final int IN_FLIGHT = 500;
    private static final int BODY_BYTES = 100;
    private static final long HOUR_MS = 3_600_000;
    private static final long MONTH_MS = 29 * 24 * HOUR_MS;
    private static final long MAX_TRACKED_US = TimeUnit.MINUTES.toMicros(10);
    private static final long PROBE_EVERY_MS = 50;
    private static final int PROBE = -1;

    private final Map<String, String> words;
    private final String topic;
    private final ConcurrentHistogram storeUs = new ConcurrentHistogram(MAX_TRACKED_US, 3);
    private final ConcurrentHistogram arrivalUs = new ConcurrentHistogram(MAX_TRACKED_US, 3);
    private final AtomicLong early = new AtomicLong();
    private final AtomicLong twice = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final Map<Integer, Boolean> seen = new ConcurrentHashMap<>();
    private final CountDownLatch first = new CountDownLatch(1);
    private final Semaphore permits = new Semaphore(IN_FLIGHT);
    private CountDownLatch due = new CountDownLatch(0);
    /** How late the latest one of each second of the stream was stored, in milliseconds. */
    private AtomicLongArray worstMs = new AtomicLongArray(0);

    private int rate;
    private int firstRecorded;

    private TimersLoad(Map<String, String> words) {
        this.words = words;
        this.topic = words.getOrDefault("topic", "timers");
    }

    /**
     * Takes {@code servers}, {@code topic}, {@code rate} per second, {@code warmup} and {@code seconds}, both in seconds, and {@code pending}
     * others.
     */
    public static void main(String[] args) throws Exception {
        Map<String, String> words = new HashMap<>();
        for (String arg : args) {
            int at = arg.indexOf('=');
            words.put(arg.substring(0, at).toLowerCase(Locale.ROOT), arg.substring(at + 1));
        }
        new TimersLoad(words).run();
        System.exit(0);
    }

    private int number(String key, int otherwise) {
        return Integer.parseInt(words.getOrDefault(key, Integer.toString(otherwise)));
    }

    private void run() throws Exception {
        String servers = words.getOrDefault("servers", "127.0.0.1:9876");
        try (AdminClient admin = AdminClient.builder().nameServers(servers).build();
                Producer producer = Producer.builder()
                        .nameServers(servers)
                        .group("bench_timers")
                        .sendTimeoutMs(SEND_TIMEOUT_MS)
                        .build();
                PushConsumer consumer = PushConsumer.builder()
                        .nameServers(servers)
                        .group("bench_timers_group")
                        .consumeFrom(ConsumeFrom.firstOffset())
                        .subscribe(topic, "*")
                        .listener(messages -> {
                            messages.forEach(this::arrived);
                            return ConsumeResult.SUCCESS;
                        })
                        .build()) {
            admin.start();
            admin.topics().createOrUpdate(TopicConfig.of(topic, 4));
            producer.start();
            consumer.start();
            awaitFirst(producer);
            double perSecond = fill(producer, number("pending", 1_000_000));
            rate = number("rate", 10_000);
            firstRecorded = rate * number("warmup", 20);
            stream(producer, number("warmup", 20) + number("seconds", 30), perSecond);
        }
    }

    private void awaitFirst(Producer producer) throws Exception {
        do {
            producer.send(Message.of(topic, body(PROBE, 0)));
        } while (!first.await(PROBE_EVERY_MS, TimeUnit.MILLISECONDS));
    }

    private static byte[] body(int number, long dueMs) {
        return ByteBuffer.allocate(BODY_BYTES).putInt(number).putLong(dueMs).array();
    }

    private void sendAt(Producer producer, int number, long dueMs) throws InterruptedException {
        permits.acquire();
        Message message = new Message(topic, body(number, dueMs), 0, Map.of("TIMER_DELIVER_MS", Long.toString(dueMs)));
        CompletableFuture<?> unused = producer.sendAsync(message).whenComplete((result, error) -> {
            permits.release();
            if (error != null && failed.getAndIncrement() == 0) {
                print("FIRST_FAILURE " + error);
            }
        });
    }

    private void awaitSent() throws InterruptedException {
        permits.acquire(IN_FLIGHT);
        permits.release(IN_FLIGHT);
    }

    /** Sends what is due much later; returns how many were sent per second. */
    private double fill(Producer producer, int count) throws InterruptedException {
        long begunNs = System.nanoTime();
        long nowMs = System.currentTimeMillis();
        for (int i = 0; i < count; i++) {
            sendAt(producer, PROBE, nowMs + ThreadLocalRandom.current().nextLong(HOUR_MS, MONTH_MS));
        }
        awaitSent();
        double seconds = (System.nanoTime() - begunNs) / 1e9;
        print(String.format(Locale.ROOT, "filled %d in %.1f s", count, seconds));
        return Math.max(1_000, count / seconds);
    }

    private void stream(Producer producer, int seconds, double sentPerSecond) throws InterruptedException {
        int count = rate * seconds;
        worstMs = new AtomicLongArray(seconds);
        due = new CountDownLatch(count);
        long leadMs = 10_000 + (long) (3_000.0 * count / sentPerSecond);
        long startMs = System.currentTimeMillis() + leadMs;
        for (int i = 0; i < count; i++) {
            sendAt(producer, i, startMs + 1_000L * i / rate);
        }
        awaitSent();
        long sentMs = System.currentTimeMillis();
        print("MARK begin");
        long endMs = startMs + 1_000L * seconds + 60_000;
        due.await(endMs - System.currentTimeMillis(), TimeUnit.MILLISECONDS);
        print("MARK end");
        if (sentMs > startMs) {
            print("the stream was sent " + (sentMs - startMs) + " ms too late, the figures do not count");
            failed.incrementAndGet();
        }
        print("stored late by at most, in each second: " + worstMs + " ms");
        print("RESULT count=" + seen.size() + " failed=" + failed.get() + " early=" + early.get() + " missing="
                + (count - seen.size()) + " twice=" + twice.get() + percentiles("store", storeUs)
                + percentiles("arrival", arrivalUs));
    }

    private static String percentiles(String name, ConcurrentHistogram histogram) {
        return " " + name + "P50us=" + histogram.getValueAtPercentile(50) + " " + name + "P99us="
                + histogram.getValueAtPercentile(99) + " " + name + "P999us=" + histogram.getValueAtPercentile(99.9)
                + " " + name + "MaxUs=" + histogram.getMaxValue();
    }

    private void arrived(MessageExt message) {
        long nowUs = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        ByteBuffer body = ByteBuffer.wrap(message.body());
        int number = body.getInt();
        long dueMs = body.getLong();
        if (number == PROBE) {
            first.countDown();
            return;
        }
        if (seen.put(number, Boolean.TRUE) != null) {
            twice.incrementAndGet();
            return;
        }
        long storeErrorUs = 1_000 * (message.storeTimestampMs() - dueMs);
        long arrivalErrorUs = nowUs - 1_000 * dueMs;
        if (storeErrorUs < 0 || arrivalErrorUs < 0) {
            early.incrementAndGet();
        }
        worstMs.accumulateAndGet(number / rate, storeErrorUs / 1_000, Math::max);
        if (number >= firstRecorded) {
            storeUs.recordValue(Math.max(0, Math.min(MAX_TRACKED_US, storeErrorUs)));
            arrivalUs.recordValue(Math.max(0, Math.min(MAX_TRACKED_US, arrivalErrorUs)));
        }
        due.countDown();
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
