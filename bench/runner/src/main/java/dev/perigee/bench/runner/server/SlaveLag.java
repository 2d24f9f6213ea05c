package dev.perigee.bench.runner.server;

import com.alibaba.fastjson2.JSONArray;
import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONObject;
import dev.perigee.harness.RemotingProbe;
import java.io.Closeable;
import java.io.IOException;

/** How long the slave of a Perigee master has been behind, as the master says (code 907, {@code lagMs}); over one connection. Not thread-safe. */
public final class SlaveLag implements Closeable {
    private static final int GET_BROKER_HA_STATUS = 907;
    private static final int PATIENCE_MS = 60_000;

    private final RemotingProbe.Line line;

    private SlaveLag(RemotingProbe.Line line) {
        this.line = line;
    }

    /** Connects to the master, {@code host:port}. */
    static SlaveLag of(String master) throws IOException {
        return new SlaveLag(RemotingProbe.open(master, PATIENCE_MS));
    }

    /**
     * In milliseconds; 0 while the slave has everything. Blocks until it is answered.
     *
     * @throws IOException also when the answer does not tell of exactly one slave
     */
    public long lagMs() throws IOException {
        String body = line.ask(GET_BROKER_HA_STATUS, new JSONObject()).body();
        try {
            JSONArray slaves = JSONObject.parseObject(body).getJSONArray("haConnectionInfo");
            if (slaves.size() == 1) {
                return slaves.getJSONObject(0).getLongValue("lagMs");
            }
        } catch (JSONException | NullPointerException e) {
            throw new IOException("no status of replication: " + body, e);
        }
        throw new IOException("not one slave: " + body);
    }

    @Override
    public void close() throws IOException {
        line.close();
    }
}
