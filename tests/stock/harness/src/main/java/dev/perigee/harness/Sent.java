package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;

/** What a stock producer got for one send. After a failure only {@code errorType}, {@code error} and {@code code} mean something. */
public record Sent(
        String status,
        String msgId,
        String offsetMsgId,
        String broker,
        int queueId,
        long queueOffset,
        String recallHandle,
        String transactionId,
        String localState,
        String errorType,
        String error,
        int code) {
    static Sent of(JSONObject shape) {
        JSONObject error = shape.getJSONObject("error");
        if (error != null) {
            return new Sent(
                    "FAILED",
                    "",
                    "",
                    "",
                    -1,
                    -1,
                    "",
                    "",
                    "",
                    text(error, "class"),
                    text(error, "message"),
                    error.getIntValue("code", -1));
        }
        return new Sent(
                text(shape, "status"),
                text(shape, "msgId"),
                text(shape, "offsetMsgId"),
                text(shape, "broker"),
                shape.getIntValue("queueId", -1),
                shape.getLongValue("queueOffset", -1),
                text(shape, "recallHandle"),
                text(shape, "transactionId"),
                text(shape, "localState"),
                "",
                "",
                0);
    }

    private static String text(JSONObject shape, String key) {
        String value = shape.getString(key);
        return value == null ? "" : value;
    }

    /** The broker stored it. */
    public boolean isOk() {
        return status.equals("SEND_OK");
    }
}
