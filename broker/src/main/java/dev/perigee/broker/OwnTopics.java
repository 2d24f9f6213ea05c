package dev.perigee.broker;

import dev.perigee.broker.check.Appends;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.append.AppendResult;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Stores the topics that a broker must have before it serves. */
@OwnedBy("starting thread")
final class OwnTopics {
    /** Longest wait for all of them. */
    static final long TIMEOUT_MS = 60_000;

    private static final int MAX_STEPS = 100_000;

    private final BrokerCore core;
    private final CompletableFuture<Throwable> logFailure;
    private final boolean threads;

    /** {@code logFailure} is completed with the cause when the log fails; without threads the store is stepped here. */
    OwnTopics(BrokerCore core, CompletableFuture<Throwable> logFailure, boolean threads) {
        this.core = core;
        this.logFailure = logFailure;
        this.threads = threads;
    }

    /**
     * Stores what is not there yet. Blocks until all of it is durable and visible.
     *
     * @throws IOException with the true cause: the log failed, a topic was refused, or the time ran out
     */
    void make() throws IOException {
        List<TopicConfig> wanted = core.startTopics();
        Queue<String> refused = new ConcurrentLinkedQueue<>();
        AtomicInteger open = new AtomicInteger(wanted.size());
        CompletableFuture<Void> over = new CompletableFuture<>();
        for (TopicConfig topic : wanted) {
            put(topic, result -> {
                if (result != AppendResult.APPENDED) {
                    refused.add(topic.topicName() + " (" + Appends.remark(result) + ")");
                }
                if (open.decrementAndGet() == 0) {
                    over.complete(null);
                }
            });
        }
        await(over);
        if (logFailure.isDone()) { // then nobody tells what became of the topics
            Throwable cause = logFailure.join();
            throw new IOException("the log failed while system topics were being stored: " + cause, cause);
        }
        if (!over.isDone()) {
            throw new IOException(open.get() + " of " + wanted.size() + " system topics were not stored in time ("
                    + TIMEOUT_MS + " ms)");
        }
        if (!refused.isEmpty()) {
            throw new IOException("system topics could not be stored: " + String.join(", ", refused));
        }
    }

    /** What is there stays as it is, but for the queues of delay levels that are new. */
    private void put(TopicConfig topic, Consumer<AppendResult> done) {
        TopicConfig known = core.topics.current().find(topic.topicName());
        boolean moreLevels = known != null
                && topic.topicName().equals(SystemTopic.SCHEDULE)
                && known.writeQueueNums() < topic.writeQueueNums();
        if (moreLevels) {
            core.topicCreation.put(topic, done);
        } else {
            core.topicCreation.create(topic, done);
        }
    }

    private void await(CompletableFuture<Void> over) throws IOException {
        CompletableFuture<Object> either = CompletableFuture.anyOf(over, logFailure);
        try {
            if (threads) {
                either.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
            } else {
                core.stepUntil(either::isDone, MAX_STEPS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while starting", e);
        } catch (ExecutionException | TimeoutException e) {
            // neither future fails; who called sees by them how far it came
        }
    }
}
