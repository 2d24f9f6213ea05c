package dev.perigee.it.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Sends numbered messages to queues in turn, so many a second, and knows which were acknowledged and where each queue ends. */
public final class PacedSender implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String FILLING = "x".repeat(100);

    private final Producer producer;
    private final List<MessageQueue> queues;
    private final int perSecond;
    private final Phaser underWay = new Phaser(1);
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final BitSet acknowledged = new BitSet();
    private final Map<LockPromise.Queue, Long> ends = new HashMap<>();
    private final Thread thread = new Thread(this::send, "paced-sender");
    private volatile boolean isStopped;

    /** Begins to send at once. */
    public PacedSender(String nameServers, List<MessageQueue> queues, int perSecond) throws ClientException {
        this.producer = producer(nameServers);
        this.queues = List.copyOf(queues);
        this.perSecond = perSecond;
        thread.start();
    }

    private static Producer producer(String nameServers) throws ClientException {
        Producer started = Producer.builder()
                .nameServers(nameServers)
                .group("paced_sender")
                .callTimeoutMs(MemberMain.PATIENT_MS)
                .sendTimeoutMs(MemberMain.PATIENT_MS)
                .build();
        started.start();
        return started;
    }

    /** Sends so many and no more, as fast as it goes; gives where each queue ends then. */
    public static Map<LockPromise.Queue, Long> sendAll(String nameServers, List<MessageQueue> queues, int count)
            throws ClientException {
        try (PacedSender sender = new PacedSender(nameServers, List.of(), 0)) {
            for (int number = 0; number < count; number++) {
                sender.send(number, queues.get(number % queues.size()));
            }
            sender.stop();
            return sender.ends();
        }
    }

    private void send() {
        long beganNs = System.nanoTime();
        for (int number = 0; !isStopped && !queues.isEmpty(); number++) {
            long dueNs = beganNs + number * TimeUnit.SECONDS.toNanos(1) / perSecond;
            long waitNs = dueNs - System.nanoTime();
            if (waitNs > TimeUnit.MILLISECONDS.toNanos(1)) {
                LockSupport.parkNanos(waitNs); // the pace of the load
            }
            send(number, queues.get(number % queues.size()));
        }
    }

    private void send(int number, MessageQueue queue) {
        underWay.register();
        Message message = Message.of(queue.topic(), number + ":" + FILLING);
        Completion.on(producer.sendAsync(message, queue), (result, failure) -> {
            if (failure != null) {
                failures.add(number + ": " + failure);
            } else if (result.status() != SendStatus.SEND_OK) {
                failures.add(number + ": " + result.status());
            } else {
                acknowledged(number, result);
            }
            underWay.arriveAndDeregister();
        });
    }

    private synchronized void acknowledged(int number, SendResult result) {
        acknowledged.set(number);
        ends.merge(
                new LockPromise.Queue(result.queue().topic(), result.queue().queueId()),
                result.queueOffset() + 1,
                Math::max);
    }

    /** Sends no more, waits for what is under way, and fails when a message was not stored. */
    public void stop() {
        isStopped = true;
        try {
            thread.join(PATIENCE.toMillis());
            underWay.awaitAdvanceInterruptibly(underWay.arrive(), PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("sends without an answer", e);
        }
        assertThat(failures).as("sends that failed").isEmpty();
    }

    /** The numbers of the messages acknowledged so far. */
    public synchronized BitSet acknowledged() {
        return (BitSet) acknowledged.clone();
    }

    /** Where each queue ends, as far as acknowledgements tell. */
    public synchronized Map<LockPromise.Queue, Long> ends() {
        return Map.copyOf(ends);
    }

    @Override
    public void close() {
        isStopped = true;
        producer.close();
    }
}
