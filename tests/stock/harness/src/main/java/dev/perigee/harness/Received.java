package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;
import java.util.Map;
import java.util.TreeMap;

/** A message as a stock client handed it over; {@code shape} has every field the driver reports. */
public record Received(JSONObject shape) {
    /** The id the producer gave it. */
    public String msgId() {
        return text("msgId");
    }

    /** Its topic as the listener sees it. */
    public String topic() {
        return text("topic");
    }

    /** Its queue. */
    public int queueId() {
        return shape.getIntValue("queueId", -1);
    }

    /** Its place in the queue. */
    public long queueOffset() {
        return shape.getLongValue("queueOffset", -1);
    }

    /** Its body as text; empty when longer than the driver shows. */
    public String body() {
        return text("body");
    }

    /** The number of body bytes, after decompression. */
    public int bodyLength() {
        return shape.getIntValue("bodyLength", -1);
    }

    /** CRC-32 of those bytes, computed by the driver. */
    public long bodyCrc32() {
        return shape.getLongValue("bodyCrc32", -1);
    }

    /** Its tag, or empty. */
    public String tags() {
        return text("tags");
    }

    /** Its keys, or empty. */
    public String keys() {
        return text("keys");
    }

    /** How often it was sent back before. */
    public int reconsumeTimes() {
        return shape.getIntValue("reconsumeTimes", -1);
    }

    /** The listener answered this delivery with a failure. */
    public boolean failing() {
        return shape.getBooleanValue("failing");
    }

    /** When the listener got it, by the driver's clock. */
    public long receivedAt() {
        return shape.getLongValue("receivedAt");
    }

    /** All its properties. */
    public Map<String, String> properties() {
        Map<String, String> all = new TreeMap<>();
        JSONObject properties = shape.getJSONObject("properties");
        if (properties != null) {
            properties.forEach((key, value) -> all.put(key, String.valueOf(value)));
        }
        return all;
    }

    private String text(String key) {
        String value = shape.getString(key);
        return value == null ? "" : value;
    }
}
