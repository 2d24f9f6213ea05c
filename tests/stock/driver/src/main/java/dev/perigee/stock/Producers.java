package dev.perigee.stock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.producer.DefaultMQProducer;

/** The producers of this process, by the name the script gave them. */
final class Producers {
    private final Map<String, DefaultMQProducer> byName = new ConcurrentHashMap<>();

    void put(String name, DefaultMQProducer producer) {
        byName.put(name, producer);
    }

    DefaultMQProducer of(Request request) {
        return named(request.text("name"));
    }

    DefaultMQProducer named(String name) {
        DefaultMQProducer producer = byName.get(name);
        if (producer == null) {
            throw new IllegalArgumentException("no producer named " + name);
        }
        return producer;
    }

    void stop(String name) {
        DefaultMQProducer producer = byName.remove(name);
        if (producer != null) {
            producer.shutdown();
        }
    }
}
