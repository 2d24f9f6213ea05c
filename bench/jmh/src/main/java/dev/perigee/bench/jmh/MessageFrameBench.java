package dev.perigee.bench.jmh;

import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageFrame;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Stored message frames and batch bodies: one operation is one message of 1 KiB, or one whole batch of 32. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class MessageFrameBench { // not final: JMH extends it
    private static final int BATCH = 32;

    private final FrameDraft draft = SampleFrames.draft(0);
    private final MessageFrame flyweight = new MessageFrame();
    private final ByteBuffer target = ByteBuffer.allocateDirect(1 << 16);
    private final List<Message> messages = Collections.nCopies(
            BATCH,
            Message.builder(SampleFrames.TOPIC)
                    .tag("TagA")
                    .keys("order-1")
                    .body(SampleFrames.body())
                    .build());
    private ByteBuffer frame = ByteBuffer.allocate(0);
    private ByteBuffer batch = ByteBuffer.allocate(0);

    /** Encodes what the decoders read. */
    @Setup
    public void encodeBoth() {
        frame = ByteBuffer.allocateDirect(draft.sizeBytes());
        draft.writeTo(frame);
        frame.flip();
        batch = ByteBuffer.wrap(BatchBody.encode(messages));
    }

    /** As the broker stores a message. */
    @Benchmark
    public ByteBuffer encodeFrame() {
        draft.writeTo(target.clear());
        return target;
    }

    /** As a client reads it. */
    @Benchmark
    public MessageExt decodeFrame() {
        return MessageDecoder.decode(flyweight.wrap(frame, 0), "broker-a");
    }

    /** As the broker looks at one: numbers and the tag's hash only. */
    @Benchmark
    public long wrapFrame() {
        flyweight.wrap(frame, 0);
        return flyweight.queueOffset() + flyweight.tagHash();
    }

    /** As a client sends a batch. */
    @Benchmark
    public byte[] encodeBatch() {
        return BatchBody.encode(messages);
    }

    /** As the broker takes one apart. */
    @Benchmark
    public void walkBatch(Blackhole sink) throws MalformedMessageException {
        BatchBody body = BatchBody.of(batch);
        while (body.next()) {
            sink.consume(body.body());
            sink.consume(body.properties());
        }
    }
}
