package dev.perigee.bench.stock;

import dev.perigee.bench.load.LoadPlan;
import dev.perigee.bench.load.LoadRun;
import dev.perigee.bench.load.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/** Load through the stock client, with its defaults but for what the plan says. */
public final class StockLoad implements Target {
    /** The topic whose route names the brokers that get a new topic. */
    private static final String TEMPLATE = "TBW102";

    private final String servers;
    private final DefaultMQProducer producer;
    private DefaultMQPushConsumer consumer;

    private StockLoad(LoadPlan plan) throws Exception {
        this.servers = plan.servers();
        this.producer = new DefaultMQProducer("bench_producer");
        producer.setNamesrvAddr(servers);
        producer.setSendMsgTimeout(plan.sendTimeoutMs());
        if (plan.routePollMs() > 0) {
            producer.setPollNameServerInterval(plan.routePollMs());
        }
        producer.start();
    }

    public static void main(String[] args) throws Exception {
        LoadPlan plan = LoadPlan.of(args);
        try (StockLoad target = new StockLoad(plan)) {
            new LoadRun(plan, target).run();
        }
        System.exit(0);
    }

    @Override
    public void createTopic(String topic, int queues) throws Exception {
        producer.createTopic(TEMPLATE, topic, queues, Map.of());
    }

    @Override
    public void send(String topic, byte[] body) throws Exception {
        check(producer.send(new Message(topic, body)));
    }

    @Override
    public void sendAsync(String topic, byte[] body, Consumer<Throwable> done) throws Exception {
        producer.send(new Message(topic, body), new SendCallback() {
            @Override
            public void onSuccess(SendResult result) {
                done.accept(
                        result.getSendStatus() == SendStatus.SEND_OK
                                ? null
                                : new IllegalStateException("status " + result.getSendStatus()));
            }

            @Override
            public void onException(Throwable error) {
                done.accept(error);
            }
        });
    }

    @Override
    public void sendBatch(String topic, List<byte[]> bodies) throws Exception {
        List<Message> messages = new ArrayList<>(bodies.size());
        for (byte[] body : bodies) {
            messages.add(new Message(topic, body));
        }
        check(producer.send(messages));
    }

    @Override
    public void consume(String topic, String group, Consumer<byte[]> onMessage) throws Exception {
        consumer = new DefaultMQPushConsumer(group);
        consumer.setNamesrvAddr(servers);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, "*");
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            for (MessageExt message : messages) {
                onMessage.accept(message.getBody());
            }
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        consumer.start();
    }

    @Override
    public void close() {
        if (consumer != null) {
            consumer.shutdown();
        }
        producer.shutdown();
    }

    private static void check(SendResult result) {
        if (result.getSendStatus() != SendStatus.SEND_OK) {
            throw new IllegalStateException("status " + result.getSendStatus());
        }
    }
}
