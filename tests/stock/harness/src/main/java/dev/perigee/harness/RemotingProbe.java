package dev.perigee.harness;

import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONObject;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Speaks just enough of the wire to ask whether somebody is there: one request with a JSON header per connection. */
public final class RemotingProbe {
    private static final int TIMEOUT_MS = 20_000;
    private static final int GET_CLUSTER_INFO = 106;

    private RemotingProbe() {}

    /**
     * An answer as it came.
     *
     * @param fields of its header
     * @param body as UTF-8, whatever it is
     */
    public record Answer(int code, String remark, JSONObject fields, String body) {}

    /** Sends one request without a body and reads its answer. */
    public static Answer ask(String address, int code, JSONObject headerFields) throws IOException {
        return ask(address, code, headerFields, "");
    }

    /** Sends one request and reads its answer. */
    public static Answer ask(String address, int code, JSONObject headerFields, String body) throws IOException {
        try (Line line = open(address, TIMEOUT_MS)) {
            return line.ask(code, headerFields, body);
        }
    }

    /** Connects, to ask more than once, and waits so long for the connection and for each answer. */
    public static Line open(String address, int timeoutMs) throws IOException {
        int colon = address.lastIndexOf(':');
        InetSocketAddress target =
                new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        Socket socket = new Socket();
        try {
            socket.connect(target, timeoutMs);
            socket.setSoTimeout(timeoutMs);
            socket.setTcpNoDelay(true);
            return new Line(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** An open connection, for one question at a time. Not thread-safe. */
    public static final class Line implements Closeable {
        private final Socket socket;

        private Line(Socket socket) {
            this.socket = socket;
        }

        /** Sends one request without a body and reads its answer. */
        public Answer ask(int code, JSONObject headerFields) throws IOException {
            return ask(code, headerFields, "");
        }

        /** Sends one request and reads its answer. */
        public Answer ask(int code, JSONObject headerFields, String body) throws IOException {
            OutputStream out = new BufferedOutputStream(socket.getOutputStream());
            write(new DataOutputStream(out), code, headerFields, body.getBytes(StandardCharsets.UTF_8));
            return read(new DataInputStream(socket.getInputStream()));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static void write(DataOutputStream out, int code, JSONObject fields, byte[] body) throws IOException {
        JSONObject header = JSONObject.of("code", code, "language", "JAVA", "version", 0, "opaque", 1, "flag", 0);
        header.put("extFields", fields);
        byte[] bytes = header.toJSONString().getBytes(StandardCharsets.UTF_8);
        out.writeInt(Integer.BYTES + bytes.length + body.length);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.write(body);
        out.flush();
    }

    private static Answer read(DataInputStream in) throws IOException {
        int length = in.readInt();
        int headerLength = in.readInt() & 0xFFFFFF;
        JSONObject header = JSONObject.parseObject(new String(in.readNBytes(headerLength), StandardCharsets.UTF_8));
        byte[] body = in.readNBytes(length - Integer.BYTES - headerLength);
        String remark = header.getString("remark");
        JSONObject fields = header.getJSONObject("extFields");
        return new Answer(
                header.getIntValue("code"),
                remark == null ? "" : remark,
                fields == null ? new JSONObject() : fields,
                new String(body, StandardCharsets.UTF_8));
    }

    /** Whether something accepts connections there. */
    public static boolean accepts(String address) {
        int colon = address.lastIndexOf(':');
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
                    TIMEOUT_MS);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** Whether the NameServer there knows this broker. */
    public static boolean knowsBroker(String namesrv, String brokerName) {
        try {
            Answer answer = ask(namesrv, GET_CLUSTER_INFO, new JSONObject());
            return answer.code() == 0 && answer.body().contains('"' + brokerName + '"');
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The only broker the NameServer there knows, or its first; empty while there is none. */
    public static Optional<Target> clusterOf(String namesrv) {
        try {
            Answer answer = ask(namesrv, GET_CLUSTER_INFO, new JSONObject());
            JSONObject brokers = JSONObject.parseObject(answer.body()).getJSONObject("brokerAddrTable");
            return brokers.values().stream()
                    .map(broker -> target(namesrv, (JSONObject) broker))
                    .findFirst();
        } catch (IOException | JSONException notYet) {
            return Optional.empty();
        }
    }

    private static Target target(String namesrv, JSONObject broker) {
        String address =
                broker.getJSONObject("brokerAddrs").values().iterator().next().toString();
        return new Target(namesrv, address, broker.getString("cluster"), broker.getString("brokerName"));
    }
}
