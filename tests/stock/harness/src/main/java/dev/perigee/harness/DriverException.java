package dev.perigee.harness;

import com.alibaba.fastjson2.JSONObject;

/** A driver command failed: the stock client threw. */
public final class DriverException extends RuntimeException {
    private final String type;
    private final int code;

    DriverException(String command, JSONObject error) {
        super(command + ": " + error.getString("class") + " " + error.getString("message"));
        type = error.getString("class");
        code = error.getIntValue("code", -1);
    }

    /** Simple name of the exception class in the stock client. */
    public String type() {
        return type;
    }

    /** Response code of the broker or of the client, -1 when it had none. */
    public int code() {
        return code;
    }
}
