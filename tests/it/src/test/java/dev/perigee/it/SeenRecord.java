package dev.perigee.it;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.protocol.message.MessageExt;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A consumer that never stops reading a topic, and the record of what it was shown. */
final class SeenRecord implements AutoCloseable {
    private static final long POLL_MS = 50;

    /** A place in the topic. */
    record Place(int queueId, long queueOffset) {
        static Place of(MessageExt message) {
            return new Place(message.queueId(), message.queueOffset());
        }
    }

    private final PullConsumer consumer;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Map<Place, MessageExt> seen = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::read, "reader");

    /** Starts reading every queue the topic has now, from its beginning. */
    SeenRecord(String namesrv, String topic) throws ClientException {
        consumer =
                PullConsumer.builder().nameServers(namesrv).group("seen_reader").build();
        consumer.start();
        consumer.assign(consumer.queues(topic));
        for (var queue : consumer.queues(topic)) {
            consumer.seekToBegin(queue);
        }
        thread.start();
    }

    private void read() {
        while (!stopped.get()) {
            try {
                for (MessageExt message : consumer.poll(POLL_MS)) {
                    seen.put(Place.of(message), message);
                }
            } catch (ClientException e) {
                Thread.onSpinWait(); // the broker is gone; what was seen stays seen
            }
        }
    }

    Map<Place, MessageExt> seen() {
        return seen;
    }

    @Override
    public void close() {
        stopped.set(true);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        consumer.close();
    }
}
