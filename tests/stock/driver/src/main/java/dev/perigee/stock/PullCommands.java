package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.QueryResult;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.common.message.MessageQueue;

/** The plain pull consumer: reads by queue and offset, and the offset and message queries every client offers. */
@SuppressWarnings("deprecation")
final class PullCommands {
    private final Map<String, DefaultMQPullConsumer> consumers = new ConcurrentHashMap<>();

    void addTo(Map<String, Driver.Command> commands) {
        commands.put("pull.start", this::start);
        commands.put("pull.stop", this::stop);
        commands.put("pull.queues", request -> Shapes.queues(of(request).fetchSubscribeMessageQueues(request.text("topic"))));
        commands.put("pull.pull", this::pull);
        commands.put("pull.min", request -> offset(of(request).minOffset(Shapes.queueOf(request))));
        commands.put("pull.max", request -> offset(of(request).maxOffset(Shapes.queueOf(request))));
        commands.put("pull.search", this::search);
        commands.put("pull.earliest", request -> offset(of(request).earliestMsgStoreTime(Shapes.queueOf(request))));
        commands.put("pull.commit", this::commit);
        commands.put("pull.committed", request -> offset(of(request).fetchConsumeOffset(Shapes.queueOf(request), true)));
        commands.put("pull.view", this::view);
        commands.put("pull.query", this::query);
    }

    private JSONObject start(Request request) throws Exception {
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer(request.text("group"));
        consumer.setNamesrvAddr(request.text("namesrv"));
        Settings.apply(request, consumer);
        consumer.start();
        consumers.put(request.text("name"), consumer);
        return Shapes.one("clientId", consumer.buildMQClientId());
    }

    private JSONObject stop(Request request) {
        DefaultMQPullConsumer consumer = consumers.remove(request.text("name"));
        if (consumer != null) {
            consumer.shutdown();
        }
        return Shapes.none();
    }

    private JSONObject pull(Request request) throws Exception {
        DefaultMQPullConsumer consumer = of(request);
        MessageQueue queue = Shapes.queueOf(request);
        long offset = request.big("offset", 0);
        int most = request.number("max", 32);
        PullResult result;
        if (request.flag("block")) {
            result = consumer.pullBlockIfNotFound(queue, request.text("expr", "*"), offset, most);
        } else if (Subscription.isSql(request)) {
            result = consumer.pull(queue, Subscription.selector(request), offset, most);
        } else {
            result = consumer.pull(queue, request.text("expr", "*"), offset, most);
        }
        JSONObject shape = new JSONObject();
        shape.put("status", result.getPullStatus().name());
        shape.put("next", result.getNextBeginOffset());
        shape.put("min", result.getMinOffset());
        shape.put("max", result.getMaxOffset());
        shape.put("messages", Shapes.messages(result.getMsgFoundList()));
        return shape;
    }

    private JSONObject search(Request request) throws Exception {
        DefaultMQPullConsumer consumer = of(request);
        MessageQueue queue = Shapes.queueOf(request);
        long timestamp = request.big("timestamp", 0);
        return offset(
                request.has("boundary")
                        ? searchWithin(consumer, queue, timestamp, request.text("boundary"))
                        : consumer.searchOffset(queue, timestamp));
    }

    /** Only the 5.x client can name the boundary, and only behind its public face. */
    private static long searchWithin(DefaultMQPullConsumer consumer, MessageQueue queue, long timestamp, String boundary)
            throws ReflectiveOperationException {
        Object admin = consumer.getDefaultMQPullConsumerImpl()
                .getRebalanceImpl()
                .getmQClientFactory()
                .getMQAdminImpl();
        Class<?> type = Class.forName("org.apache.rocketmq.common.BoundaryType");
        Object value = type.getMethod("getType", String.class).invoke(null, boundary);
        return (long) admin.getClass()
                .getMethod("searchOffset", MessageQueue.class, long.class, type)
                .invoke(admin, queue, timestamp, value);
    }

    private JSONObject commit(Request request) throws Exception {
        DefaultMQPullConsumer consumer = of(request);
        MessageQueue queue = Shapes.queueOf(request);
        consumer.updateConsumeOffset(queue, request.big("offset", 0));
        consumer.getOffsetStore().persist(queue);
        return Shapes.none();
    }

    private JSONObject view(Request request) throws Exception {
        return Shapes.one(
                "message", Shapes.message(of(request).viewMessage(request.text("topic"), request.text("msgId"))));
    }

    private JSONObject query(Request request) throws Exception {
        QueryResult result = of(request)
                .queryMessage(
                        request.text("topic"),
                        request.text("key"),
                        request.number("max", 64),
                        request.big("begin", 0),
                        request.big("end", Long.MAX_VALUE));
        JSONObject shape = Shapes.one("messages", Shapes.messages(result.getMessageList()));
        shape.put("indexLastUpdate", result.getIndexLastUpdateTimestamp());
        return shape;
    }

    private static JSONObject offset(long offset) {
        return Shapes.one("offset", offset);
    }

    private DefaultMQPullConsumer of(Request request) {
        DefaultMQPullConsumer consumer = consumers.get(request.text("name"));
        if (consumer == null) {
            throw new IllegalArgumentException("no pull consumer named " + request.text("name"));
        }
        return consumer;
    }
}
