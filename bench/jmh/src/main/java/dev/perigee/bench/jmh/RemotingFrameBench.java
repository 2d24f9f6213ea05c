package dev.perigee.bench.jmh;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.HeaderBuffer;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.MalformedFrameException;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.HeaderCodec;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Heads of remoting frames, typed header included: one operation is one frame. The body is never copied, so it is left out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class RemotingFrameBench { // not final: JMH extends it
    private static final int BODY_BYTES = 1024;
    private static final long BORN_MS = 1_790_000_000_000L;

    /** How the header is written. */
    @Param
    public HeaderSerialization serialization = HeaderSerialization.JSON;

    private final SendMessageHeader send = new SendMessageHeader(
            "bench_producer",
            "bench",
            "TBW102",
            4,
            3,
            0,
            BORN_MS,
            0,
            PropertyText.of("UNIQ_KEY\u00017F0000010DC418B4AAC2157F2AB30000\u0002WAIT\u0001true\u0002TAGS\u0001TagA"),
            0,
            false,
            -1,
            false,
            "broker-a");
    private final PullMessageHeader pull = new PullMessageHeader(
            "bench_group", "bench", 3, 123_456, 32, 6, 123_400, 15_000, "*", BORN_MS, "TAG", 0, 0, null, "broker-a");
    private final HeaderBuffer out = new HeaderBuffer();
    private CommandHead sendHead = head(Rpcs.SEND_MESSAGE_V2);
    private CommandHead pullHead = head(Rpcs.PULL_MESSAGE);
    private byte[] sendFrame = {};
    private byte[] pullFrame = {};

    /** Encodes what the decoders read. */
    @Setup
    public void encodeBoth() {
        sendHead = head(Rpcs.SEND_MESSAGE_V2);
        pullHead = head(Rpcs.PULL_MESSAGE);
        encode(Rpcs.SEND_MESSAGE_V2, sendHead, send, BODY_BYTES);
        sendFrame = out.toByteArray();
        encode(Rpcs.PULL_MESSAGE, pullHead, pull, 0);
        pullFrame = out.toByteArray();
    }

    private CommandHead head(Rpc<?, ?> rpc) {
        return CommandHead.request(rpc.code(), 4711, false, serialization);
    }

    private <Q extends Record> int encode(Rpc<Q, ?> rpc, CommandHead head, Q header, int bodyBytes) {
        out.reset();
        FrameCodec.encodeFrameHead(out, head, rpc.request().writer(header), bodyBytes);
        return out.length();
    }

    private <Q> Q decode(HeaderCodec<Q> codec, byte[] frame) throws MalformedFrameException, BadFieldException {
        int headerBytes = frame.length - FrameCodec.PREFIX_BYTES;
        return codec.decode(FrameCodec.decodeHeader(serialization, frame, FrameCodec.PREFIX_BYTES, headerBytes)
                .fields());
    }

    @Benchmark
    public int encodeSend() {
        return encode(Rpcs.SEND_MESSAGE_V2, sendHead, send, BODY_BYTES);
    }

    @Benchmark
    public SendMessageHeader decodeSend() throws MalformedFrameException, BadFieldException {
        return decode(Rpcs.SEND_MESSAGE_V2.request(), sendFrame);
    }

    @Benchmark
    public int encodePull() {
        return encode(Rpcs.PULL_MESSAGE, pullHead, pull, 0);
    }

    @Benchmark
    public PullMessageHeader decodePull() throws MalformedFrameException, BadFieldException {
        return decode(Rpcs.PULL_MESSAGE.request(), pullFrame);
    }
}
