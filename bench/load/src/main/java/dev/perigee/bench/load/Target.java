package dev.perigee.bench.load;

import java.util.List;
import java.util.function.Consumer;

/** One kind of client under load: the stock client, Perigee's, or another queue's. All methods may be called from several threads. */
public interface Target extends AutoCloseable {
    /** Creates a topic with this many queues, or partitions; returns when the servers know it. */
    void createTopic(String topic, int queues) throws Exception;

    /** Sends and waits for the acknowledgement. */
    void send(String topic, byte[] body) throws Exception;

    /** Sends and reports the outcome later, on a thread of the client's. */
    void sendAsync(String topic, byte[] body, Consumer<Throwable> done) throws Exception;

    /** Sends several messages as one batch and waits. */
    void sendBatch(String topic, List<byte[]> bodies) throws Exception;

    /** Starts consuming from the first offset; each message's body is handed over on a thread of the client's. */
    void consume(String topic, String group, Consumer<byte[]> onMessage) throws Exception;

    @Override
    void close();
}
