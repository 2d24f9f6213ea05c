package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Producers that never stop sending numbered messages, and the record of what was tried and what was acknowledged. */
final class SentRecord implements AutoCloseable {
    private static final int TAGS = 3;
    private static final int SHARED_BY = 20;
    private static final String NUMBER = "number";

    /** Where an acknowledged message must be. */
    record Place(int queueId, long queueOffset, String offsetMessageId, String messageId) {}

    private final Producer producer;
    private final String topic;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong acknowledgements = new AtomicLong();
    private final Set<String> tried = ConcurrentHashMap.newKeySet();
    private final Map<String, Place> acknowledged = new ConcurrentHashMap<>();
    private final Set<String> refusals = ConcurrentHashMap.newKeySet();
    private final Thread[] threads;

    SentRecord(Producer producer, String topic, int threadCount) {
        this.producer = producer;
        this.topic = topic;
        this.threads = new Thread[threadCount];
        for (int i = 0; i < threadCount; i++) {
            threads[i] = new Thread(this::send, "sender-" + i);
            threads[i].start();
        }
    }

    private void send() {
        while (!stopped.get()) {
            String key = "key-" + numbers.incrementAndGet();
            tried.add(key);
            try {
                SendResult result = producer.send(message(key));
                if (result.status() == SendStatus.SEND_OK) {
                    acknowledged.put(
                            key,
                            new Place(
                                    result.queue().queueId(),
                                    result.queueOffset(),
                                    result.offsetMessageId(),
                                    result.messageId()));
                    acknowledgements.incrementAndGet();
                }
            } catch (RefusedException e) {
                refusals.add(e.remark());
            } catch (ClientException e) {
                // Killed under the send: the outcome is unknown, and the key stays among the tried ones only.
                Thread.onSpinWait();
            }
        }
    }

    private Message message(String key) {
        int number = number(key);
        return Message.builder(topic)
                .body(bodyOf(key))
                .keys(key, sharedKey(number))
                .tag("tag" + number % TAGS)
                .property(NUMBER, Integer.toString(number))
                .build();
    }

    private static int number(String key) {
        return Integer.parseInt(key.substring("key-".length()));
    }

    private static String sharedKey(int number) {
        return "shared-" + number / SHARED_BY;
    }

    /** The key that only this message has. */
    static String keyOf(MessageExt message) {
        return message.keys().isEmpty() ? "" : message.keys().get(0);
    }

    /** Checks that a stored message is the one that was sent under its key. */
    static void checkParts(MessageExt message, String key) {
        int number = number(key);
        assertThat(message.bodyText()).isEqualTo(bodyOf(key));
        assertThat(message.keys()).containsExactly(key, sharedKey(number));
        assertThat(message.tag()).isEqualTo("tag" + number % TAGS);
        assertThat(message.properties()).containsEntry(NUMBER, Integer.toString(number));
    }

    /** The body that belongs to a key; sizes differ so that records end anywhere. */
    static String bodyOf(String key) {
        return key + ":" + "x".repeat(Math.floorMod(key.hashCode(), 700));
    }

    long acknowledgements() {
        return acknowledgements.get();
    }

    Map<String, Place> acknowledged() {
        return acknowledged;
    }

    Set<String> tried() {
        return tried;
    }

    /** What the broker said to sends it refused or failed. */
    Set<String> refusals() {
        return refusals;
    }

    @Override
    public void close() {
        stopped.set(true);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        producer.close();
    }
}
