package dev.perigee.stock.spring;

import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.core.RocketMQPushConsumerLifecycleListener;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.springframework.stereotype.Component;

/** Answers questions. */
@Component
@RocketMQMessageListener(topic = Shop.QUESTIONS, consumerGroup = "shop-questions-group")
public class Answers implements RocketMQReplyListener<String, String>, RocketMQPushConsumerLifecycleListener {
    @Override
    public String onMessage(String question) {
        return "to " + question;
    }

    @Override
    public void prepareStart(DefaultMQPushConsumer consumer) {
        Impatience.of(consumer);
    }
}
