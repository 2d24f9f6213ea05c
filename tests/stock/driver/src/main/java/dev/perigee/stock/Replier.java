package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.utils.MessageUtil;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/** Answers what a listener got with a producer of this process, and reports what became of each reply. */
final class Replier {
    private final String consumer;
    private final DefaultMQProducer producer;
    private final Output output;

    Replier(String consumer, DefaultMQProducer producer, Output output) {
        this.consumer = consumer;
        this.producer = producer;
        this.output = output;
    }

    /** {@code {body}} in the text becomes the body of the request. */
    void reply(MessageExt request, String text) {
        JSONObject shape;
        try {
            String body = text.replace("{body}", new String(request.getBody(), StandardCharsets.UTF_8));
            Message reply = MessageUtil.createReplyMessage(request, body.getBytes(StandardCharsets.UTF_8));
            shape = Shapes.sent(producer.send(reply));
        } catch (Exception failure) {
            shape = Shapes.one("error", Shapes.failure(failure));
        }
        shape.put("consumer", consumer);
        output.event("reply", shape);
    }
}
