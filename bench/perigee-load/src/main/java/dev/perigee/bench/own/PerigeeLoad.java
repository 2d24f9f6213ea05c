package dev.perigee.bench.own;

import dev.perigee.bench.load.LoadPlan;
import dev.perigee.bench.load.LoadRun;
import dev.perigee.bench.load.Target;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Load through Perigee's client with its defaults, which batch asynchronous sends by themselves. */
public final class PerigeeLoad implements Target {
    private final String servers;
    private final Producer producer;
    private final AdminClient admin;
    private final List<PushConsumer> consumers = new ArrayList<>();

    private PerigeeLoad(LoadPlan plan) {
        this.servers = plan.servers();
        this.producer = Producer.builder()
                .nameServers(servers)
                .group("bench_producer")
                .sendTimeoutMs(plan.sendTimeoutMs())
                .build();
        producer.start();
        this.admin = AdminClient.builder().nameServers(servers).build();
        admin.start();
    }

    public static void main(String[] args) throws Exception {
        LoadPlan plan = LoadPlan.of(args);
        try (PerigeeLoad target = new PerigeeLoad(plan)) {
            new LoadRun(plan, target).run();
        }
        System.exit(0);
    }

    @Override
    public void createTopic(String topic, int queues) throws ClientException {
        admin.topics().createOrUpdate(TopicConfig.of(topic, queues));
    }

    @Override
    public void send(String topic, byte[] body) throws ClientException {
        producer.send(Message.of(topic, body));
    }

    @Override
    public void sendAsync(String topic, byte[] body, Consumer<Throwable> done) {
        CompletableFuture<?> unused = producer.sendAsync(Message.of(topic, body))
                .whenComplete((result, error) -> done.accept(error)); // the outcome went to done already
    }

    @Override
    public void sendBatch(String topic, List<byte[]> bodies) throws ClientException {
        List<Message> messages = new ArrayList<>(bodies.size());
        for (byte[] body : bodies) {
            messages.add(Message.of(topic, body));
        }
        producer.send(messages);
    }

    @Override
    public void consume(String topic, String group, Consumer<byte[]> onMessage) throws ClientException {
        PushConsumer consumer = PushConsumer.builder()
                .nameServers(servers)
                .group(group)
                .consumeFrom(ConsumeFrom.firstOffset())
                .subscribe(topic, "*")
                .listener(messages -> {
                    messages.forEach(message -> onMessage.accept(message.body()));
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumers.add(consumer);
        consumer.start();
    }

    @Override
    public void close() {
        consumers.forEach(PushConsumer::close);
        admin.close();
        producer.close();
    }
}
