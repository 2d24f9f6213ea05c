package dev.perigee.broker.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.filter.TagFilter;
import dev.perigee.broker.stats.BrokerStats;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import dev.perigee.store.view.ColdReaders;
import dev.perigee.store.view.ViewWorld;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class QueueReaderTest {
    /** Few entries in memory, the rest in files. */
    private static final QueueConfig SMALL = new QueueConfig(1000, 8, 1024, 3, 4);

    private int filesRead;
    private final ViewWorld<ConsumeQueueView> world = new ViewWorld<>(
            new CrashingDisk(new Random(1)),
            made -> new ConsumeQueueView(
                    new ForwardingDisk(made.disk()) {
                        @Override
                        public DiskFile openRead(String name) throws IOException {
                            filesRead++;
                            return super.openRead(name);
                        }
                    },
                    SMALL,
                    (at, size) -> 0));

    @Test
    void anEntryThatIsOnlyInAFileIsNotLookedAtToDecideWhereToRead() {
        for (int i = 0; i < 200; i++) {
            world.log().append("T", 0);
        }
        ConsumeQueue queue = Objects.requireNonNull(world.settle().find("T", 0));
        QueueReader reader = new QueueReader(
                world.view(),
                world.log().log(),
                BrokerConfig.read(new Properties()).reading(),
                new BrokerStats("cluster", ZoneOffset.UTC, 0),
                new ColdReaders(0, 1, Clock.system()),
                id -> false,
                offset -> {});
        PullChecks.Plan plan = new PullChecks.Plan(null, 0, null, null, TagFilter.ALL);
        filesRead = 0;
        assertThat(queue.memoryStart()).isBetween(1L, 199L);
        assertThat(reader.readLoaded(pull(0), 0, queue, plan)).isNull();
        assertThat(reader.readLoaded(pull(0), queue.memoryStart() - 1, queue, plan))
                .isNull();
        assertThat(reader.readLoaded(pull(0), queue.memoryStart(), queue, plan)).isNotNull();
        assertThat(reader.readLoaded(pull(0), 200, queue, plan)).isNotNull();
        assertThat(filesRead).isZero();
        assertThat(reader.read(pull(0), 0, queue, plan).status()).isEqualTo(ReadStatus.FOUND);
        assertThat(filesRead).isEqualTo(1);
        assertThat(reader.readLoaded(pull(0), 0, queue, plan)).isNotNull(); // mapped and in memory by now
        assertThat(filesRead).isEqualTo(1);
    }

    @Test
    void anEntryThatRottedInItsFileIsNotServed() throws IOException {
        for (int i = 0; i < 200; i++) {
            world.log().append("T", 0);
        }
        ConsumeQueue queue = Objects.requireNonNull(world.settle().find("T", 0));
        String file = "consumequeue/T/0/00000000000000000000";
        assertThat(read(queue).messages()).isEqualTo(20);
        for (int position : new int[] {3, 7, 9, 11}) {
            for (int bit = 0; bit < 7; bit++) {
                int mask = 1 << bit;
                world.disk().flip(file, position, mask);
                assertThatThrownBy(() -> read(queue))
                        .as("position %d mask %d", position, mask)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("T@0");
                world.disk().flip(file, position, mask);
            }
        }
        assertThat(read(queue).messages()).isEqualTo(20);
    }

    @Test
    void whatTheLogHasLostUnderARestoredEntryIsNotServed() throws IOException {
        for (int i = 0; i < 20; i++) {
            world.log().append("T", 0);
        }
        world.checkpoint();
        String file = "commitlog/00000000000000000000";
        byte[] bytes = world.disk().content(file);
        Arrays.fill(bytes, 1000, bytes.length, (byte) 0);
        world.restart();
        world.disk().put(file, bytes);
        world.restart();
        ConsumeQueue queue = Objects.requireNonNull(world.view().find("T", 0));
        assertThat(world.replayedBytes())
                .as("the entries come from the checkpoint")
                .isZero();
        long inMemory = queue.memoryStart();
        assertThat(inMemory).as("some of them in memory").isLessThan(20);
        assertThatThrownBy(() -> read(queue, inMemory))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("T@0");
        world.log().append("T", 0);
        assertThat(queue.foldedFrom()).isEqualTo(20);
    }

    private static PullMessageHeader pull(long queueOffset) {
        return new PullMessageHeader("group", "T", 0, queueOffset, 32, 2, 0, 15_000, "*", 0, "TAG", 0, 0, null, null);
    }

    private QueueRead read(ConsumeQueue queue) {
        return read(queue, 0);
    }

    private QueueRead read(ConsumeQueue queue, long fromOffset) {
        QueueRead read =
                new QueueRead(world.log().log(), TagFilter.ALL, new ReadLimits(20, 1 << 20), QueueRead.WHOLE_LOG, 0);
        read.read(queue, fromOffset);
        return read;
    }
}
