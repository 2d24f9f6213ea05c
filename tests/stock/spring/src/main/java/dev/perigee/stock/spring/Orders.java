package dev.perigee.stock.spring;

import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.core.RocketMQPushConsumerLifecycleListener;
import org.springframework.stereotype.Component;

/** Reads the orders. */
@Component
@RocketMQMessageListener(topic = Shop.ORDERS, consumerGroup = "shop-orders-group")
public class Orders implements RocketMQListener<String>, RocketMQPushConsumerLifecycleListener {
    private final Seen seen;

    /** Notes what comes there. */
    public Orders(Seen seen) {
        this.seen = seen;
    }

    @Override
    public void onMessage(String body) {
        seen.got(body);
    }

    @Override
    public void prepareStart(DefaultMQPushConsumer consumer) {
        Impatience.of(consumer);
    }
}
