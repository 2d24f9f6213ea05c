package dev.perigee.stock;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.exception.RequestTimeoutException;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.TransactionSendResult;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/** How results and messages look on the driver's stdout. */
final class Shapes {
    private static final int LONGEST_BODY_SHOWN = 64 * 1024;

    private Shapes() {}

    static JSONObject sent(SendResult result) {
        JSONObject shape = new JSONObject();
        shape.put("status", result.getSendStatus().name());
        shape.put("msgId", result.getMsgId());
        shape.put("offsetMsgId", result.getOffsetMsgId());
        shape.put("queueOffset", result.getQueueOffset());
        shape.put("transactionId", result.getTransactionId());
        if (result instanceof TransactionSendResult) {
            shape.put("localState", String.valueOf(((TransactionSendResult) result).getLocalTransactionState()));
        }
        shape.put("regionId", result.getRegionId());
        shape.put("recallHandle", recallHandle(result));
        if (result.getMessageQueue() != null) {
            shape.put("broker", result.getMessageQueue().getBrokerName());
            shape.put("queueId", result.getMessageQueue().getQueueId());
        }
        return shape;
    }

    /** Results of 4.9.x have none. */
    private static String recallHandle(SendResult result) {
        try {
            return (String) result.getClass().getMethod("getRecallHandle").invoke(result);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    static JSONObject failure(Throwable thrown) {
        Throwable failure = thrown instanceof InvocationTargetException && thrown.getCause() != null ? thrown.getCause() : thrown;
        JSONObject shape = new JSONObject();
        shape.put("class", failure.getClass().getSimpleName());
        shape.put("message", chain(failure));
        shape.put("code", code(failure));
        return shape;
    }

    /** The client wraps what really happened once or twice. */
    private static String chain(Throwable failure) {
        StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            text.append(" <- ").append(cause);
        }
        return text.toString();
    }

    private static int code(Throwable failure) {
        if (failure instanceof MQBrokerException) {
            return ((MQBrokerException) failure).getResponseCode();
        }
        if (failure instanceof RequestTimeoutException) {
            return ((RequestTimeoutException) failure).getResponseCode();
        }
        return failure instanceof MQClientException ? ((MQClientException) failure).getResponseCode() : -1;
    }

    static JSONObject message(MessageExt message) {
        JSONObject shape = new JSONObject();
        shape.put("msgId", message.getMsgId());
        shape.put("topic", message.getTopic());
        shape.put("broker", message.getBrokerName());
        shape.put("queueId", message.getQueueId());
        shape.put("queueOffset", message.getQueueOffset());
        shape.put("commitLogOffset", message.getCommitLogOffset());
        shape.put("storeSize", message.getStoreSize());
        shape.put("sysFlag", message.getSysFlag());
        shape.put("flag", message.getFlag());
        shape.put("tags", message.getTags());
        shape.put("keys", message.getKeys());
        shape.put("reconsumeTimes", message.getReconsumeTimes());
        shape.put("properties", new JSONObject(new TreeMap<String, Object>(message.getProperties())));
        shape.put("bornHost", message.getBornHostString());
        shape.put("bornTimestamp", message.getBornTimestamp());
        shape.put("storeHost", String.valueOf(message.getStoreHost()));
        shape.put("storeTimestamp", message.getStoreTimestamp());
        shape.put("preparedTransactionOffset", message.getPreparedTransactionOffset());
        shape.put("transactionId", message.getTransactionId());
        shape.put("bodyCrc", message.getBodyCRC());
        body(shape, message.getBody());
        return shape;
    }

    private static void body(JSONObject shape, byte[] body) {
        if (body == null) {
            return;
        }
        CRC32 crc = new CRC32();
        crc.update(body);
        shape.put("bodyLength", body.length);
        shape.put("bodyCrc32", crc.getValue());
        if (body.length <= LONGEST_BODY_SHOWN) {
            shape.put("body", new String(body, StandardCharsets.UTF_8));
        }
    }

    static JSONArray messages(List<MessageExt> messages) {
        JSONArray shapes = new JSONArray();
        if (messages != null) {
            messages.forEach(message -> shapes.add(message(message)));
        }
        return shapes;
    }

    static JSONObject queue(MessageQueue queue) {
        JSONObject shape = new JSONObject();
        shape.put("topic", queue.getTopic());
        shape.put("broker", queue.getBrokerName());
        shape.put("queueId", queue.getQueueId());
        return shape;
    }

    /** Queues in their natural order. */
    static JSONObject queues(Collection<MessageQueue> queues) {
        JSONArray shapes = new JSONArray();
        queues.stream().sorted().forEach(queue -> shapes.add(queue(queue)));
        return one("queues", shapes);
    }

    static MessageQueue queueOf(Request request) {
        return new MessageQueue(request.text("topic"), request.text("broker"), request.number("queueId", 0));
    }

    static JSONObject one(String key, Object value) {
        JSONObject shape = new JSONObject();
        shape.put(key, value);
        return shape;
    }

    static JSONObject none() {
        return new JSONObject();
    }
}
