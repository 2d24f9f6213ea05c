package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;
import java.util.List;

/** A queue of a topic on a broker. */
public record QueueAt(String topic, String broker, int queueId) {
    static List<QueueAt> listOf(JSONObject answer) {
        return answer.getJSONArray("queues").toList(JSONObject.class).stream()
                .map(queue ->
                        new QueueAt(queue.getString("topic"), queue.getString("broker"), queue.getIntValue("queueId")))
                .toList();
    }
}
