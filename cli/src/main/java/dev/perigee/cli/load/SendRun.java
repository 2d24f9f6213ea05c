package dev.perigee.cli.load;

import dev.perigee.cli.output.Progress;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.producer.Producer;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.Message;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Sends many messages without waiting for each, at most a set number under way, and measures how long each took. */
@OwnedBy("command thread")
public final class SendRun {
    /** Messages under way at once. */
    private static final int IN_FLIGHT = 4_096;

    /** So many failures without a message stored in between end the run: a broker that takes nothing is no load. */
    private static final int MAX_FAILURES_IN_A_ROW = 100;

    /** Durations kept for percentiles. */
    private static final int MAX_LATENCIES = 10_000_000;

    private final Producer producer;
    private final IntFunction<Message> messages;
    private final int total;

    /**
     * @param messages the message with each number from 0
     */
    public SendRun(Producer producer, IntFunction<Message> messages, int total) {
        this.producer = producer;
        this.messages = messages;
        this.total = total;
    }

    /**
     * What became of it.
     *
     * @param sent acknowledged messages
     * @param failed messages that were not
     * @param elapsedMs from the first send to the last answer
     * @param percentilesMs how long one message took
     * @param firstFailure the first failure; null when there was none
     */
    public record Outcome(
            long sent,
            long failed,
            long elapsedMs,
            Map<String, Double> percentilesMs,
            @Nullable Throwable firstFailure) {
        /** Acknowledged messages per second. */
        public double perSecond() {
            return sent * 1_000.0 / Math.max(1, elapsedMs);
        }

        /** As an object for programs. */
        public Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("sent", sent);
            members.put("failed", failed);
            members.put("elapsedMs", elapsedMs);
            members.put("perSecond", Math.round(perSecond()));
            members.putAll(percentilesMs);
            return members;
        }

        /** As a sentence for people. */
        public String summary() {
            return String.format(
                    Locale.ROOT,
                    "%,d messages in %.2f s, %,.0f/s, latency ms p50 %.2f p99 %.2f p99.9 %.2f max %.2f",
                    sent,
                    elapsedMs / 1_000.0,
                    perSecond(),
                    percentilesMs.getOrDefault("p50Ms", 0.0),
                    percentilesMs.getOrDefault("p99Ms", 0.0),
                    percentilesMs.getOrDefault("p999Ms", 0.0),
                    percentilesMs.getOrDefault("maxMs", 0.0));
        }
    }

    /**
     * Sends everything, or until nothing is stored any more; blocks until the last answer came. Single failures are counted, not
     * thrown.
     */
    public Outcome run(Progress progress) throws ClientException {
        Semaphore free = new Semaphore(IN_FLIGHT);
        LongAdder failed = new LongAdder();
        AtomicInteger failedInARow = new AtomicInteger();
        AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
        Latencies latencies = new Latencies(Math.min(total, MAX_LATENCIES));
        long startNs = System.nanoTime();
        int begun = 0;
        while (begun < total) {
            free.acquireUninterruptibly();
            if (failedInARow.get() >= MAX_FAILURES_IN_A_ROW) {
                free.release();
                break;
            }
            long sentNs = System.nanoTime();
            CompletableFuture<?> unused = producer.sendAsync(messages.apply(begun++))
                    .whenComplete((result, failure) -> {
                        if (failure == null) {
                            latencies.add(System.nanoTime() - sentNs);
                            failedInARow.set(0);
                        } else {
                            failedInARow.incrementAndGet();
                            failed.increment();
                            firstFailure.compareAndSet(null, failure);
                        }
                        progress.add(1);
                        free.release();
                    });
        }
        free.acquireUninterruptibly(IN_FLIGHT);
        long elapsedMs = (System.nanoTime() - startNs) / 1_000_000;
        return new Outcome(
                begun - failed.sum(), failed.sum(), elapsedMs, latencies.percentilesMs(), firstFailure.get());
    }
}
