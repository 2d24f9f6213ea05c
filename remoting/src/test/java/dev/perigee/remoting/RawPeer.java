package dev.perigee.remoting;

import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.frame.MalformedFrameException;
import dev.perigee.protocol.frame.RemotingCommand;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** A peer that writes whatever bytes it likes. */
final class RawPeer implements AutoCloseable {
    private static final int READ_TIMEOUT_MS = 60_000;

    private final Socket socket;
    private final DataInputStream in;

    RawPeer(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(READ_TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** The frame of an ECHO request with these fixed parts. */
    static byte[] echoFrame(int opaque, int version, HeaderSerialization serialization, byte[] body) {
        Consumer<FieldSink> fields = sink -> Echo.ECHO.request().encode(EchoHeader.of("raw", opaque), sink);
        CommandHead head = new CommandHead(Echo.ECHO.code(), Language.GO, version, opaque, 0, null, serialization);
        return RemotingCommand.of(head, fields, body).encode();
    }

    static byte[] echoFrame(int opaque) {
        return echoFrame(opaque, 513, HeaderSerialization.JSON, new byte[0]);
    }

    OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    void send(byte[] bytes) throws IOException {
        out().write(bytes);
    }

    /** Sends no more, and still listens. */
    void endSending() throws IOException {
        socket.shutdownOutput();
    }

    RemotingCommand readFrame() throws IOException, MalformedFrameException {
        int length = in.readInt();
        byte[] frame = new byte[4 + length];
        ByteBuffer.wrap(frame).putInt(length);
        in.readFully(frame, 4, length);
        return RemotingCommand.decode(frame);
    }

    /** Whether the other side ends the connection; waits for it, and passes over what it still sends. */
    boolean isClosedByPeer() throws IOException {
        byte[] rest = new byte[1024];
        try {
            while (in.read(rest) >= 0) {
                // not the end yet
            }
            return true;
        } catch (SocketException e) {
            return e.getMessage() != null && e.getMessage().contains("reset");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
