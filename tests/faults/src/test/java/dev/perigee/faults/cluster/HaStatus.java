package dev.perigee.faults.cluster;

import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe;
import java.io.IOException;
import java.util.Optional;

/**
 * What a master of either make says about its slave (code 907).
 *
 * @param inSync whether it has one that it calls in sync
 * @param behindBytes how far that one is behind, 0 when there is none
 */
record HaStatus(boolean inSync, long behindBytes) {
    private static final int GET_BROKER_HA_STATUS = 907;

    /** What the load writes in a quarter of a second. */
    private static final long LEVEL_BYTES = 64 << 10;

    /** Asks the broker there; empty when it does not answer. */
    static Optional<HaStatus> of(String address) {
        try {
            RemotingProbe.Answer answer = RemotingProbe.ask(address, GET_BROKER_HA_STATUS, new JSONObject());
            return answer.code() == 0 ? Optional.of(read(answer.body())) : Optional.empty();
        } catch (IOException | JSONException notNow) {
            return Optional.empty();
        }
    }

    /** Reads the body of an answer. */
    static HaStatus read(String body) {
        JSONArray slaves = JSONObject.parseObject(body).getJSONArray("haConnectionInfo");
        for (int i = 0; slaves != null && i < slaves.size(); i++) {
            JSONObject slave = slaves.getJSONObject(i);
            if (slave.getBooleanValue("inSync")) {
                return new HaStatus(true, slave.getLongValue("diff"));
            }
        }
        return new HaStatus(false, 0);
    }

    boolean isLevel() {
        return inSync && behindBytes <= LEVEL_BYTES;
    }
}
