package dev.perigee.stock;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageQueue;

/** Lite pull consumers: subscribe or assign, poll, seek, commit. */
final class LitePullCommands {
    private final Map<String, DefaultLitePullConsumer> consumers = new ConcurrentHashMap<>();

    void addTo(Map<String, Driver.Command> commands) {
        commands.put("lite.start", this::start);
        commands.put("lite.stop", this::stop);
        commands.put("lite.subscribe", this::subscribe);
        commands.put("lite.assign", this::assign);
        commands.put("lite.queues", request -> Shapes.queues(of(request).fetchMessageQueues(request.text("topic"))));
        commands.put("lite.assignment", request -> Shapes.queues(of(request).assignment()));
        commands.put("lite.poll", this::poll);
        commands.put("lite.commit", this::commit);
        commands.put("lite.committed", request -> Shapes.one("offset", of(request).committed(Shapes.queueOf(request))));
        commands.put("lite.seek", this::seek);
        commands.put("lite.offsetForTimestamp", this::offsetForTimestamp);
    }

    private JSONObject start(Request request) throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer(request.text("group"));
        consumer.setNamesrvAddr(request.text("namesrv"));
        consumer.setConsumeFromWhere(
                ConsumeFromWhere.valueOf(request.text("from", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET.name())));
        Settings.apply(request, consumer);
        if (request.has("topic")) {
            consumer.subscribe(request.text("topic"), Subscription.selector(request));
        }
        consumer.start();
        consumers.put(request.text("name"), consumer);
        return Shapes.one("clientId", consumer.buildMQClientId());
    }

    private JSONObject stop(Request request) {
        DefaultLitePullConsumer consumer = consumers.remove(request.text("name"));
        if (consumer != null) {
            consumer.shutdown();
        }
        return Shapes.none();
    }

    private JSONObject subscribe(Request request) throws Exception {
        of(request).subscribe(request.text("topic"), Subscription.selector(request));
        return Shapes.none();
    }

    private JSONObject assign(Request request) {
        List<MessageQueue> queues = new ArrayList<>();
        JSONArray wanted = request.array("queues");
        for (int i = 0; i < wanted.size(); i++) {
            JSONObject queue = wanted.getJSONObject(i);
            queues.add(new MessageQueue(
                    queue.getString("topic"), queue.getString("broker"), queue.getIntValue("queueId")));
        }
        of(request).assign(queues);
        return Shapes.none();
    }

    private JSONObject poll(Request request) {
        return Shapes.one("messages", Shapes.messages(of(request).poll(request.big("timeoutMs", 5_000))));
    }

    private JSONObject commit(Request request) {
        of(request).commitSync();
        return Shapes.none();
    }

    private JSONObject seek(Request request) throws Exception {
        MessageQueue queue = Shapes.queueOf(request);
        switch (request.text("to", "offset")) {
            case "begin":
                of(request).seekToBegin(queue);
                break;
            case "end":
                of(request).seekToEnd(queue);
                break;
            default:
                of(request).seek(queue, request.big("offset", 0));
        }
        return Shapes.none();
    }

    private JSONObject offsetForTimestamp(Request request) throws Exception {
        return Shapes.one("offset", of(request).offsetForTimestamp(Shapes.queueOf(request), request.big("timestamp", 0)));
    }

    private DefaultLitePullConsumer of(Request request) {
        DefaultLitePullConsumer consumer = consumers.get(request.text("name"));
        if (consumer == null) {
            throw new IllegalArgumentException("no lite pull consumer named " + request.text("name"));
        }
        return consumer;
    }
}
