package dev.perigee.stock;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;

/** A command line, read with defaults. */
final class Request {
    private final JSONObject fields;

    private Request(JSONObject fields) {
        this.fields = fields;
    }

    static Request parse(String line) {
        return new Request(JSON.parseObject(line));
    }

    long id() {
        return fields.getLongValue("id");
    }

    String command() {
        return fields.getString("cmd");
    }

    String text(String key) {
        String value = fields.getString(key);
        if (value == null) {
            throw new IllegalArgumentException(command() + " needs " + key);
        }
        return value;
    }

    String text(String key, String otherwise) {
        String value = fields.getString(key);
        return value == null ? otherwise : value;
    }

    int number(String key, int otherwise) {
        return fields.containsKey(key) ? fields.getIntValue(key) : otherwise;
    }

    long big(String key, long otherwise) {
        return fields.containsKey(key) ? fields.getLongValue(key) : otherwise;
    }

    boolean flag(String key) {
        return fields.getBooleanValue(key);
    }

    boolean has(String key) {
        return fields.containsKey(key);
    }

    JSONObject object(String key) {
        JSONObject value = fields.getJSONObject(key);
        return value == null ? new JSONObject() : value;
    }

    JSONArray array(String key) {
        JSONArray value = fields.getJSONArray(key);
        return value == null ? new JSONArray() : value;
    }
}
