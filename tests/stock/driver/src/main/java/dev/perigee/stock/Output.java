package dev.perigee.stock;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import com.alibaba.fastjson.serializer.SerializerFeature;
import java.io.PrintStream;

/** The driver's stdout: whole JSON lines, one at a time, from any thread. */
final class Output {
    private final PrintStream stream;

    Output(PrintStream stream) {
        this.stream = stream;
    }

    void answer(long id, JSONObject body) {
        body.put("id", id);
        body.put("ok", true);
        line(body);
    }

    void failure(long id, JSONObject error) {
        JSONObject body = new JSONObject();
        body.put("id", id);
        body.put("ok", false);
        body.put("error", error);
        line(body);
    }

    void event(String kind, JSONObject body) {
        body.put("event", kind);
        line(body);
    }

    private synchronized void line(JSONObject body) {
        stream.println(JSON.toJSONString(body, SerializerFeature.DisableCircularReferenceDetect));
        stream.flush();
    }
}
