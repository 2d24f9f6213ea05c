package dev.perigee.compat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.QueueAt;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Numbered messages to every queue of some topics in turn, a hundred a second, until it is stopped. Every send must succeed. */
final class Traffic implements AutoCloseable {
    private static final long PERIOD_MS = 10;
    private static final long STOP_SECONDS = 30;

    /** A message that was acknowledged. */
    record Known(String body, String tag, QueueAt queue, long offset) {}

    private final Producer producer;
    private final List<MessageQueue> queues = new ArrayList<>();
    private final List<String> tags;
    private final Queue<Known> known = new ConcurrentLinkedQueue<>();
    private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private int next;

    /** Starts sending. Each queue gets all tags in turn. */
    Traffic(OwnBench bench, List<String> topics, List<String> tags) throws Exception {
        this.tags = tags;
        producer = bench.producer();
        for (String topic : topics) {
            queues.addAll(producer.queues(topic));
        }
        Future<?> unused = thread.scheduleAtFixedRate(this::send, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    private void send() {
        int number = next++;
        MessageQueue queue = queues.get(number % queues.size());
        String tag = tags.get(number / queues.size() % tags.size());
        String body = tag + number;
        try {
            SendResult result = producer.send(
                    Message.builder(queue.topic()).body(body).tag(tag).build(), queue);
            known.add(new Known(body, tag, GroupMember.at(queue), result.queueOffset()));
        } catch (Exception failure) {
            failures.add(failure);
        }
    }

    /** All that was acknowledged so far. */
    List<Known> known() {
        return List.copyOf(known);
    }

    /** Stops sending and tells all that was acknowledged. */
    List<Known> stop() {
        close();
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.size() + " sends failed, the first here", failures.peek());
        }
        return known();
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a send does not end");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        producer.close();
    }
}
