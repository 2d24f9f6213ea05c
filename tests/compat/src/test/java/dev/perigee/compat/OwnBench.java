package dev.perigee.compat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.transaction.TransactionListener;
import dev.perigee.client.transaction.TransactionProducer;
import dev.perigee.harness.Target;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * The workbench of the scenarios with Perigee's own client: its parts with settings for a busy machine, and names nobody else uses.
 *
 * @param target the cluster
 * @param folder for the positions of broadcasting consumers
 */
record OwnBench(Target target, Path folder, boolean isStock) {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final long TIMEOUT_MS = 20_000;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    OwnBench(Target target, Path folder) {
        this(target, folder, false);
    }

    /** At a stock cluster, which in places promises less. */
    static OwnBench atStock(Target target, Path folder) {
        return new OwnBench(target, folder, true);
    }

    static String fresh(String name) {
        return "own_" + name + "_" + NUMBER.incrementAndGet();
    }

    Producer producer() {
        Producer producer = Producer.builder()
                .nameServers(target.namesrv())
                .group("own_producer")
                .sendTimeoutMs(TIMEOUT_MS)
                .callTimeoutMs(TIMEOUT_MS)
                .build();
        producer.start();
        return producer;
    }

    TransactionProducer transactions(String group, TransactionListener listener) {
        TransactionProducer producer = TransactionProducer.builder()
                .nameServers(target.namesrv())
                .group(group)
                .listener(listener)
                .producer(settings -> settings.sendTimeoutMs(TIMEOUT_MS).callTimeoutMs(TIMEOUT_MS))
                .build();
        producer.start();
        return producer;
    }

    AdminClient admin() {
        AdminClient admin = AdminClient.builder()
                .nameServers(target.namesrv())
                .timeoutMs(TIMEOUT_MS)
                .callTimeoutMs(TIMEOUT_MS)
                .build();
        admin.start();
        return admin;
    }

    PushConsumerBuilder consumer(String group, String topic) {
        return PushConsumer.builder()
                .nameServers(target.namesrv())
                .callTimeoutMs(TIMEOUT_MS)
                .group(group)
                .subscribe(topic, "*")
                .consumeFrom(ConsumeFrom.firstOffset());
    }

    String topic(String name, int queues) throws Exception {
        String topic = fresh(name);
        try (AdminClient admin = admin()) {
            admin.topics().createOrUpdate(TopicConfig.of(topic, queues));
        }
        return topic;
    }

    static PushConsumer collecting(PushConsumerBuilder builder, Queue<String> into) throws Exception {
        PushConsumer consumer = builder.listener(messages -> {
                    messages.forEach(m -> into.add(m.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumer.start();
        return consumer;
    }

    static void await(Queue<String> got, int count) {
        Awaitility.await().atMost(PATIENCE).until(() -> new HashSet<>(got).size() >= count);
    }
}
