package dev.perigee.bench.runner.server;

import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.util.OptionalLong;

/** How far the log of a slave is behind its master's, as both tell who asks for their figures (code 28). */
record LogEnds(String master, String slave) {
    private static final int GET_BROKER_RUNTIME_INFO = 28;

    /** In bytes; empty when one of them does not tell, as a slave that takes no clients. The slave is asked first, so never below 0. */
    OptionalLong lagBytes() {
        try {
            long held = end(slave);
            return OptionalLong.of(Math.max(0, end(master) - held));
        } catch (IOException | JSONException | NullPointerException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static long end(String address) throws IOException {
        String body = RemotingProbe.ask(address, GET_BROKER_RUNTIME_INFO, new JSONObject())
                .body();
        return Long.parseLong(
                JSONObject.parseObject(body).getJSONObject("table").getString("commitLogMaxOffset"));
    }
}
