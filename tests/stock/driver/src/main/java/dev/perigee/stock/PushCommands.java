package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageQueue;

/** Push consumers; what they receive leaves as {@code message} events. */
final class PushCommands {
    private static final long STOP_MS = 5_000;

    private final Map<String, Running> running = new ConcurrentHashMap<>();
    private final Producers producers;
    private final Output output;

    PushCommands(Producers producers, Output output) {
        this.producers = producers;
        this.output = output;
    }

    void addTo(Map<String, Driver.Command> commands) {
        commands.put("push.start", this::start);
        commands.put("push.stop", this::stop);
        commands.put("push.suspend", request -> {
            of(request).consumer.suspend();
            return Shapes.none();
        });
        commands.put("push.resume", request -> {
            of(request).consumer.resume();
            return Shapes.none();
        });
        commands.put("push.behave", request -> {
            of(request).listener.behave(request);
            return Shapes.none();
        });
        commands.put("push.count", request -> of(request).listener.counts());
        commands.put("push.owned", request -> Shapes.queues(of(request).owned()));
    }

    private JSONObject start(Request request) throws Exception {
        String name = request.text("name");
        DefaultMQPushConsumer consumer = create(request);
        consumer.setNamesrvAddr(request.text("namesrv"));
        consumer.setConsumeFromWhere(
                ConsumeFromWhere.valueOf(request.text("from", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET.name())));
        // Otherwise a stop drops the offsets of messages whose listener has not returned yet.
        consumer.setAwaitTerminationMillisWhenShutdown(STOP_MS);
        Settings.apply(request, consumer);
        for (String topic : request.text("topic").split(",")) {
            subscribe(request, consumer, topic);
        }
        ScriptedListener listener = new ScriptedListener(name, output);
        if (request.has("replier")) {
            listener.repliesBy(new Replier(name, producers.named(request.text("replier")), output));
        }
        listener.behave(request);
        if (request.flag("orderly")) {
            consumer.registerMessageListener((MessageListenerOrderly) listener::consumeInOrder);
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) listener::consume);
        }
        consumer.start();
        running.put(name, new Running(consumer, listener));
        return Shapes.one("clientId", consumer.buildMQClientId());
    }

    private static DefaultMQPushConsumer create(Request request) {
        return request.flag("trace")
                ? new DefaultMQPushConsumer(request.text("group"), true, request.text("traceTopic", null))
                : new DefaultMQPushConsumer(request.text("group"));
    }

    private static void subscribe(Request request, DefaultMQPushConsumer consumer, String topic) throws Exception {
        if (Subscription.isSql(request)) {
            consumer.subscribe(topic, Subscription.selector(request));
        } else {
            consumer.subscribe(topic, request.text("expr", "*"));
        }
    }

    private JSONObject stop(Request request) {
        Running stopped = running.remove(request.text("name"));
        if (stopped != null) {
            stopped.consumer.shutdown();
        }
        return Shapes.none();
    }

    private Running of(Request request) {
        Running found = running.get(request.text("name"));
        if (found == null) {
            throw new IllegalArgumentException("no push consumer named " + request.text("name"));
        }
        return found;
    }

    private static final class Running {
        private final DefaultMQPushConsumer consumer;
        private final ScriptedListener listener;

        Running(DefaultMQPushConsumer consumer, ScriptedListener listener) {
            this.consumer = consumer;
            this.listener = listener;
        }

        /** The queues it reads at the moment, those of its retry topic too. */
        List<MessageQueue> owned() {
            return consumer.getDefaultMQPushConsumerImpl().getRebalanceImpl().getProcessQueueTable().entrySet().stream()
                    .filter(entry -> !entry.getValue().isDropped())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toList());
        }
    }
}
