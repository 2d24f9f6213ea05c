package dev.perigee.bench.kafka;

import dev.perigee.bench.load.LoadPlan;
import dev.perigee.bench.load.LoadRun;
import dev.perigee.bench.load.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Load through Kafka's own client, for an outside view. Defaults but for acks=1, which also needs idempotence off; so linger.ms is 5,
 * batch.size 16384 and buffer.memory 32 MiB, beyond which a send waits.
 */
public final class KafkaLoad implements Target {
    private final String servers;
    private final KafkaProducer<byte[], byte[]> producer;
    private volatile boolean closed;

    private KafkaLoad(String servers) {
        this.servers = servers;
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("acks", "1");
        settings.put("enable.idempotence", "false");
        this.producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    public static void main(String[] args) throws Exception {
        LoadPlan plan = LoadPlan.of(args);
        Map<String, Object> defaults = ProducerConfig.configDef().defaultValues();
        for (String key : List.of("linger.ms", "batch.size", "buffer.memory")) {
            System.out.println("CLIENT " + key + "=" + defaults.get(key));
        }
        try (KafkaLoad target = new KafkaLoad(plan.servers())) {
            new LoadRun(plan, target).run();
        }
        System.exit(0);
    }

    @Override
    public void createTopic(String topic, int queues) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(topic, queues, (short) 1))).all().get();
        }
    }

    @Override
    public void send(String topic, byte[] body) throws Exception {
        producer.send(new ProducerRecord<>(topic, body)).get();
    }

    @Override
    public void sendAsync(String topic, byte[] body, Consumer<Throwable> done) {
        producer.send(new ProducerRecord<>(topic, body), (metadata, error) -> done.accept(error));
    }

    @Override
    public void sendBatch(String topic, List<byte[]> bodies) throws Exception {
        List<Future<?>> answers = new ArrayList<>(bodies.size());
        for (byte[] body : bodies) {
            answers.add(producer.send(new ProducerRecord<>(topic, body)));
        }
        for (Future<?> answer : answers) {
            answer.get();
        }
    }

    @Override
    public void consume(String topic, String group, Consumer<byte[]> onMessage) {
        Thread thread = new Thread(() -> poll(topic, group, onMessage), "load-consumer");
        thread.setDaemon(true);
        thread.start();
    }

    private void poll(String topic, String group, Consumer<byte[]> onMessage) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("group.id", group);
        settings.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (!closed) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                    onMessage.accept(record.value());
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        producer.close();
    }
}
