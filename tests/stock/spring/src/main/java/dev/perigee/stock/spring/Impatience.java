package dev.perigee.stock.spring;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.stereotype.Component;

/** Clients that make themselves known every second, where they would rest for half a minute. */
@Component
public class Impatience implements BeanPostProcessor {
    private static final int EVERY_MS = 1_000;

    static void of(ClientConfig client) {
        client.setHeartbeatBrokerInterval(EVERY_MS);
        client.setPollNameServerInterval(EVERY_MS);
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof DefaultMQProducer) {
            of((DefaultMQProducer) bean);
        }
        return bean;
    }
}
