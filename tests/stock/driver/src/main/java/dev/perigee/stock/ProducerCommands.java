package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.TransactionMQProducer;

/** Starts and stops producers, and the admin calls every producer offers. */
final class ProducerCommands {
    private final Producers producers;
    private final Output output;
    private final Map<String, ScriptedTransactions> transactions = new ConcurrentHashMap<>();

    ProducerCommands(Producers producers, Output output) {
        this.producers = producers;
        this.output = output;
    }

    void addTo(Map<String, Driver.Command> commands) {
        commands.put("producer.start", this::start);
        commands.put("producer.stop", this::stop);
        commands.put("producer.queues", this::queues);
        commands.put("producer.createTopic", this::createTopic);
        commands.put("producer.recall", this::recall);
        commands.put("producer.decide", this::decide);
    }

    private JSONObject start(Request request) throws Exception {
        DefaultMQProducer producer = create(request);
        producer.setNamesrvAddr(request.text("namesrv"));
        Settings.apply(request, producer);
        producer.start();
        producers.put(request.text("name"), producer);
        return Shapes.one("clientId", producer.buildMQClientId());
    }

    private DefaultMQProducer create(Request request) {
        String group = request.text("group");
        if (request.has("check")) {
            String name = request.text("name");
            ScriptedTransactions listener = new ScriptedTransactions(name, request.text("check"), output);
            transactions.put(name, listener);
            TransactionMQProducer producer = new TransactionMQProducer(group);
            producer.setTransactionListener(listener);
            return producer;
        }
        return request.flag("trace")
                ? new DefaultMQProducer(group, true, request.text("traceTopic", null))
                : new DefaultMQProducer(group);
    }

    private JSONObject stop(Request request) {
        producers.stop(request.text("name"));
        transactions.remove(request.text("name"));
        return Shapes.none();
    }

    /** From now on checks of the message with that body are answered so. */
    private JSONObject decide(Request request) {
        ScriptedTransactions listener = transactions.get(request.text("name"));
        if (listener == null) {
            throw new IllegalArgumentException("no transaction producer named " + request.text("name"));
        }
        listener.decide(request.text("body"), request.text("check"));
        return Shapes.none();
    }

    private JSONObject queues(Request request) throws Exception {
        return Shapes.queues(producers.of(request).fetchPublishMessageQueues(request.text("topic")));
    }

    /** 5.x added a map of attributes to the signature. */
    private JSONObject createTopic(Request request) throws Exception {
        DefaultMQProducer producer = producers.of(request);
        String key = request.text("key", "TBW102");
        String topic = request.text("topic");
        int queues = request.number("queues", 4);
        for (Method method : producer.getClass().getMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (method.getName().equals("createTopic") && types.length == 3 && types[2] == int.class) {
                method.invoke(producer, key, topic, queues);
                return Shapes.none();
            }
            if (method.getName().equals("createTopic") && types.length == 4 && types[3] == Map.class) {
                method.invoke(producer, key, topic, queues, new HashMap<String, String>());
                return Shapes.none();
            }
        }
        throw new IllegalStateException("this client has no known createTopic");
    }

    /** Clients of 4.9.x have no such call. */
    private JSONObject recall(Request request) throws Exception {
        DefaultMQProducer producer = producers.of(request);
        Method method = producer.getClass().getMethod("recallMessage", String.class, String.class);
        return Shapes.one("msgId", method.invoke(producer, request.text("topic"), request.text("handle")));
    }
}
