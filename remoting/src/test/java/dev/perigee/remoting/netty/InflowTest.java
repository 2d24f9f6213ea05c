package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What one connection may hold while a frame comes in. */
final class InflowTest {
    private static final int ANNOUNCED_BYTES = 16 << 20;
    private static final int READ_BYTES = 64 << 10;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final LengthReader reader = new LengthReader();
    private final UnfinishedFrames unfinished = new UnfinishedFrames(ANNOUNCED_BYTES, System::nanoTime);
    private final List<String> givenUp = new ArrayList<>();
    private final Inflow inflow = new Inflow(allocator, reader, unfinished, givenUp::add);

    @Test
    void anAnnouncedLengthTakesNoMemory() {
        inflow.add(read(ByteBuffer.allocate(100).putInt(ANNOUNCED_BYTES).rewind()));

        assertThat(heldBytes()).isLessThanOrEqualTo(READ_BYTES);
        inflow.end();
        assertThat(heldBytes()).isZero();
    }

    @Test
    void aLargeFrameNeverTakesMoreThanItsOwnSizeAndOneRead() {
        inflow.add(read(ByteBuffer.allocate(4).putInt(ANNOUNCED_BYTES).rewind()));
        for (int sent = 0; sent < ANNOUNCED_BYTES; sent += READ_BYTES) {
            inflow.add(read(ByteBuffer.allocate(READ_BYTES)));
            assertThat(heldBytes()).isLessThanOrEqualTo(ANNOUNCED_BYTES + 4 + READ_BYTES);
        }
        assertThat(reader.frames).isEqualTo(1);
        assertThat(heldBytes()).isZero();
    }

    @Test
    void theRestAfterALargeFrameDoesNotKeepItsBuffer() {
        int frame = 4 << 20;
        inflow.add(read(ByteBuffer.allocate(4).putInt(frame).rewind()));
        int left = frame;
        while (left > READ_BYTES) {
            inflow.add(read(ByteBuffer.allocate(READ_BYTES)));
            left -= READ_BYTES;
        }
        ByteBuffer last = ByteBuffer.allocate(left + 10);
        last.putInt(left, 1000);
        inflow.add(read(last));

        assertThat(reader.frames).isEqualTo(1);
        assertThat(heldBytes()).isLessThanOrEqualTo(READ_BYTES);
        inflow.end();
        assertThat(heldBytes()).isZero();
    }

    @Test
    void whatIsKeptOfAFrameIsCountedUntilItIsWhole() {
        inflow.add(read(ByteBuffer.allocate(READ_BYTES).putInt(2 * READ_BYTES).rewind()));
        assertThat(unfinished.heldBytes()).isEqualTo(heldBytes()).isPositive();

        inflow.add(read(ByteBuffer.allocate(READ_BYTES + 4)));
        assertThat(reader.frames).isEqualTo(1);
        assertThat(unfinished.heldBytes()).isZero();

        inflow.add(read(ByteBuffer.allocate(100).putInt(ANNOUNCED_BYTES).rewind()));
        assertThat(unfinished.heldBytes()).isEqualTo(heldBytes()).isPositive();
        inflow.end();
        assertThat(unfinished.heldBytes()).isZero();
        assertThat(givenUp).isEmpty();
    }

    @Test
    void aFrameIsAsOldAsItsFirstByteAndTheNextOneAsYoungAsTheEndOfTheLast() {
        AtomicLong nowNs = new AtomicLong(5);
        Inflow timed = new Inflow(allocator, reader, new UnfinishedFrames(ANNOUNCED_BYTES, nowNs::get), givenUp::add);
        timed.add(read(ByteBuffer.allocate(100).putInt(200).rewind()));
        nowNs.set(6);
        timed.add(read(ByteBuffer.allocate(10)));
        assertThat(timed.begunNs()).isEqualTo(5);
        nowNs.set(7);
        timed.add(read(ByteBuffer.allocate(100).putInt(94, 50)));
        assertThat(reader.frames).isEqualTo(1);
        assertThat(timed.begunNs()).isEqualTo(7);
        timed.end();
    }

    private long heldBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    private ByteBuf read(ByteBuffer bytes) {
        return allocator.directBuffer(bytes.remaining()).writeBytes(bytes);
    }

    /** Takes frames of a length and as many bytes. */
    private static final class LengthReader implements LinkEvents {
        private int frames;

        @Override
        public void opened(Link link) {}

        @Override
        public int received(ByteBuffer bytes) {
            while (bytes.remaining() >= 4) {
                int length = bytes.getInt(bytes.position());
                if (bytes.remaining() < 4 + length) {
                    return 4 + length;
                }
                bytes.position(bytes.position() + 4 + length);
                frames++;
            }
            return 4;
        }

        @Override
        public void burstEnded() {}

        @Override
        public void writableAgain() {}

        @Override
        public void closed(String reason) {}
    }
}
