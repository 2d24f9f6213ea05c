package dev.perigee.store.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.FrameStamp;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.frame.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LogFilesTest {
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final String FIRST = "commitlog/00000000000000000000";

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final ByteBuffer segment = ByteBuffer.allocate(SEGMENT_BYTES);

    private void frame(String body, boolean stamped) {
        FrameDraft draft = new FrameDraft()
                .topic("topic".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
        int start = segment.position();
        draft.writeTo(segment);
        int size = segment.position() - start;
        MessageFrame.patchPhysicalOffset(segment, start, start);
        if (stamped) {
            FrameStamp.write(segment, start, size, 1, false);
        } else {
            // as a stock broker leaves it: no property at the end
            int unstampedSize = size - FrameStamp.BYTES;
            segment.putInt(start, unstampedSize);
            segment.position(start + unstampedSize);
            segment.putShort(segment.position() - 2, (short) 0);
            for (int i = segment.position(); i < start + size; i++) {
                segment.put(i, (byte) 0);
            }
        }
    }

    private List<String> scan() throws IOException {
        disk.put(FIRST, segment.array());
        return items();
    }

    private List<String> items() throws IOException {
        List<String> items = new ArrayList<>();
        try (LogFiles files = LogFiles.open(disk, "commitlog")) {
            LogScanner scanner = files.scan(files.startOffset());
            while (scanner.next()) {
                items.add(scanner.verdict() + "@" + scanner.offset());
                if (scanner.isSound()) {
                    assertThat(scanner.frame().getInt(0)).isEqualTo((int) scanner.sizeBytes());
                } else {
                    assertThatThrownBy(scanner::frame).isInstanceOf(IllegalStateException.class);
                }
            }
        }
        return items;
    }

    @Test
    void framesOfAStockBrokerAreSoundWithoutAStamp() throws IOException {
        frame("one", false);
        int second = segment.position();
        frame("two", false);
        assertThat(scan()).containsExactly("UNSTAMPED@0", "UNSTAMPED@" + second);
    }

    @Test
    void damageIsOneItemAndTheWalkGoesOnBehindIt() throws IOException {
        frame("one", true);
        int second = segment.position();
        frame("two", true);
        int third = segment.position();
        frame("three", true);
        segment.put(second + 90, (byte) (segment.get(second + 90) ^ 1));
        assertThat(scan()).containsExactly("FRAME@0", "BAD_BODY@" + second, "FRAME@" + third);
    }

    @Test
    void aHoleOfZerosBetweenFramesIsReported() throws IOException {
        frame("one", true);
        int hole = segment.position();
        segment.position(hole + 5_000);
        frame("two", true);
        assertThat(scan()).containsExactly("FRAME@0", "END@" + hole, "FRAME@" + (hole + 5_000));
    }

    @Test
    void aHoleTooLongToLookThroughEndsWhereTheNextFileBegins() throws IOException {
        int large = 80 << 20;
        frame("one", true);
        int hole = segment.position();
        frame("two", true);
        int size = segment.position() - hole;
        byte[] second = Arrays.copyOfRange(segment.array(), hole, hole + size);
        MessageFrame.patchPhysicalOffset(ByteBuffer.wrap(second), 0, large);
        FrameStamp.write(ByteBuffer.wrap(second), 0, size, 1, false);
        disk.put(FIRST, Arrays.copyOf(Arrays.copyOf(segment.array(), hole), large));
        disk.put(String.format("commitlog/%020d", large), Arrays.copyOf(second, 4096));
        assertThat(items()).containsExactly("FRAME@0", "END@" + hole, "FRAME@" + large);
    }

    @Test
    void aNameBeyondAllOffsetsIsNamedInsteadOfRead() throws IOException {
        frame("one", true);
        disk.put("commitlog/" + "9".repeat(20), new byte[0]);
        assertThatThrownBy(this::scan).isInstanceOf(IOException.class).hasMessageContaining("9".repeat(20));
    }

    @Test
    void aFrameOfAnotherPlaceIsNotTaken() throws IOException {
        frame("one", true);
        int second = segment.position();
        frame("two", true);
        MessageFrame.patchPhysicalOffset(segment, second, 7);
        FrameStamp.write(segment, second, segment.position() - second, 1, false);
        assertThat(scan()).containsExactly("FRAME@0", "WRONG_OFFSET@" + second);
    }

    @Test
    void aBlankEndsTheSegment() throws IOException {
        frame("one", true);
        int blank = segment.position();
        segment.putInt(SEGMENT_BYTES - blank).putInt(FrameLayout.BLANK_MAGIC);
        assertThat(scan()).containsExactly("FRAME@0", "BLANK@" + blank);
    }

    @Test
    void anEmptyFolderIsNoLog() {
        assertThatThrownBy(() -> LogFiles.open(disk, "commitlog"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no commit log file");
    }
}
