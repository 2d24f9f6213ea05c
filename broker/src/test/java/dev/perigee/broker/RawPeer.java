package dev.perigee.broker;

import dev.perigee.protocol.frame.Language;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that says of itself what it likes: language and version, over a plain socket (remoting §1). */
final class RawPeer implements AutoCloseable {
    private static final int READ_LIMIT_MS = 60_000;

    /** A frame as it came in. */
    record Frame(String header, String body) {}

    private final Language language;
    private final int version;
    private final Socket socket;
    private int opaque;

    RawPeer(String address, Language language, int version) throws IOException {
        this.language = language;
        this.version = version;
        int colon = address.indexOf(':');
        socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        socket.setSoTimeout(READ_LIMIT_MS);
    }

    /** Sends a request without header fields. */
    void send(int code, byte[] body) throws IOException {
        send(code, "{}", body);
    }

    /** Sends a request with these header fields, a JSON object. */
    void send(int code, String fields, byte[] body) throws IOException {
        byte[] header = ("{\"code\":" + code + ",\"extFields\":" + fields + ",\"flag\":0,\"language\":\"" + language
                        + "\",\"opaque\":" + opaque++ + ",\"version\":" + version + "}")
                .getBytes(StandardCharsets.UTF_8);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(4 + header.length + body.length);
        out.writeInt(header.length);
        out.write(header);
        out.write(body);
        out.flush();
    }

    /** The next frame with this text in its header; others are dropped. */
    Frame await(String text) throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.header().contains(text)) {
                return frame;
            }
        }
    }

    private Frame read() throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length = in.readInt();
        byte[] header = new byte[in.readInt() & 0xFFFFFF];
        in.readFully(header);
        byte[] body = new byte[length - 4 - header.length];
        in.readFully(body);
        return new Frame(new String(header, StandardCharsets.UTF_8), new String(body, StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
