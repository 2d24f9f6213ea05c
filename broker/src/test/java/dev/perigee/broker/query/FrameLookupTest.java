package dev.perigee.broker.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.TestLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is borrowed from the log while messages are looked up, and given back whatever happens. */
final class FrameLookupTest {
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int BODY_BYTES = 40 * 1024;
    private static final String FIRST = "commitlog/00000000000000000000";
    private static final String SECOND = "commitlog/00000000000000065536";

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final Disk refusing = new ForwardingDisk(disk) {
        @Override
        public DiskFile open(String name) throws IOException {
            return new ForwardingFile(super.open(name)) {
                @Override
                public ByteBuffer map(long position, int sizeBytes) throws IOException {
                    if (name.equals(SECOND) && isRefusing) {
                        throw new IOException("injected: " + name + " cannot be mapped");
                    }
                    return super.map(position, sizeBytes);
                }
            };
        }
    };
    private final TestLog log = new TestLog(refusing, SEGMENT_BYTES);
    private final FrameLookup lookup = new FrameLookup(log.log(), SEGMENT_BYTES);
    private boolean isRefusing;

    /** Messages of which a segment holds one. */
    private List<Long> messages(int count) {
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            places.add(log.append(log.next("T", 0).body(new byte[BODY_BYTES])));
        }
        return places;
    }

    @Test
    void nothingStaysBorrowedWhenAMessageCannotBeRead() throws Exception {
        List<Long> places = messages(3);
        isRefusing = true;
        assertThatThrownBy(() -> lookup.findAll(places, Integer.MAX_VALUE)).hasMessageContaining(SECOND);
        log.trimTo(places.get(2));
        assertThat(disk.exists(FIRST)).isFalse();
        assertThat(disk.exists(SECOND)).isFalse();
    }

    @Test
    void theFirstMessageThatDoesNotFitEndsTheSearchAndIsGivenBack() throws Exception {
        List<Long> places = messages(3);
        List<SegmentLease> found = lookup.findAll(places, BODY_BYTES * 3 / 2);
        assertThat(found).hasSize(1);
        found.forEach(SegmentLease::release);
        log.trimTo(places.get(2));
        assertThat(disk.exists(FIRST)).isFalse();
        assertThat(disk.exists(SECOND)).isFalse();
    }
}
