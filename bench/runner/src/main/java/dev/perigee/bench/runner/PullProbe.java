package dev.perigee.bench.runner;

import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.MalformedFrameException;
import dev.perigee.protocol.frame.RemotingCommand;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullSysFlag;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Asks a broker for the first messages of a queue over a bare socket, so that no client's patience is measured along. */
final class PullProbe {
    private static final int TIMEOUT_MS = 5_000;
    private static final int MESSAGES = 32;

    private final int port;
    private final byte[] request;

    /** Will ask the broker on this port of loopback for queue 0 of a topic. */
    PullProbe(int port, String topic) {
        this.port = port;
        PullMessageHeader header = new PullMessageHeader(
                "bench_probe", topic, 0, 0, MESSAGES, PullSysFlag.SUBSCRIPTION, 0, 0, "*", 0, "TAG", 0, 0, null, null);
        this.request = RemotingCommand.of(
                        CommandHead.request(Rpcs.PULL_MESSAGE.code(), 1, false, HeaderSerialization.JSON),
                        Rpcs.PULL_MESSAGE.request().writer(header),
                        new byte[0])
                .encode();
    }

    /** Tries once; whether messages came. Blocks at most a few seconds. */
    boolean served() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            socket.getOutputStream().write(request);
            RemotingCommand answer = read(new DataInputStream(socket.getInputStream()));
            return answer.head().code() == ResponseCode.SUCCESS && answer.body().length > 0;
        } catch (IOException | MalformedFrameException notYet) {
            return false;
        }
    }

    private static RemotingCommand read(DataInputStream in) throws IOException, MalformedFrameException {
        int length = in.readInt();
        FrameCodec.checkFrameLength(length);
        byte[] frame = new byte[FrameCodec.LENGTH_BYTES + length];
        ByteBuffer.wrap(frame).putInt(length);
        in.readFully(frame, FrameCodec.LENGTH_BYTES, length);
        return RemotingCommand.decode(frame);
    }
}
