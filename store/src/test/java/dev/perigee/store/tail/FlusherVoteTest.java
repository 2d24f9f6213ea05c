package dev.perigee.store.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import dev.perigee.store.log.LogStorage;
import dev.perigee.store.log.SyncedToMark;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Votes are made durable before the log is (R29), one at a time, and never after a failure. */
final class FlusherVoteTest {
    private final List<String> done = new ArrayList<>();
    private Flusher flusher;

    @BeforeEach
    void open() throws IOException {
        ForwardingDisk disk = new ForwardingDisk(new CrashingDisk(new Random(1))) {
            @Override
            public DiskFile open(String name) throws IOException {
                return new ForwardingFile(super.open(name)) {
                    @Override
                    public void force() throws IOException {
                        super.force();
                        done.add("force " + name);
                    }
                };
            }
        };
        LogStorage storage = LogStorage.open(disk, 64 * 1024, 0);
        storage.roll();
        flusher = new Flusher(storage, SyncedToMark.open(disk), 0, new Flusher.MarkFacts(1, 1, 0, false), new Bell());
        flusher.startAt(1, 0, 0, 0);
        done.clear();
    }

    private Flusher.VoteOrder vote(String name) {
        return new Flusher.VoteOrder() {
            @Override
            public void write() throws IOException {
                if (name.isEmpty()) {
                    throw new IOException("injected: no vote");
                }
                done.add("write " + name);
            }

            @Override
            public void written() {
                done.add("written " + name);
            }
        };
    }

    @Test
    void aVoteGoesBeforeTheForceThatWaits() {
        flusher.request(1_000, 1, 1);
        flusher.writeVote(vote("t2"));

        assertThat(flusher.nextDeadlineMs()).isZero();
        flusher.doWork(0);

        assertThat(done).hasSizeGreaterThan(2);
        assertThat(done.subList(0, 2)).containsExactly("write t2", "written t2");
        assertThat(flusher.flushed().endOffset()).isEqualTo(1_000);
    }

    @Test
    void aVoteThatWaitsIsReplacedByTheNextOne() {
        flusher.writeVote(vote("t2"));
        flusher.writeVote(vote("t3"));

        flusher.doWork(0);
        flusher.doWork(1);

        assertThat(done).containsExactly("write t3", "written t3");
    }

    @Test
    void aVoteWaitsForACut() {
        flusher.writeVote(vote("t2"));
        flusher.cut(new Flusher.Cut(0, 0, () -> done.add("cut")));

        flusher.doWork(0);
        assertThat(done).contains("cut").doesNotContain("write t2");
        flusher.doWork(1);

        assertThat(done).endsWith("write t2", "written t2");
    }

    @Test
    void afterAVoteThatCouldNotBeWrittenNothingIs() {
        flusher.request(1_000, 1, 1);
        flusher.writeVote(vote(""));

        flusher.doWork(0);
        flusher.writeVote(vote("t3"));
        flusher.doWork(1);

        assertThat(flusher.failure()).hasMessageContaining("no vote");
        assertThat(done).isEmpty();
        assertThat(flusher.flushed().endOffset()).isZero();
    }
}
