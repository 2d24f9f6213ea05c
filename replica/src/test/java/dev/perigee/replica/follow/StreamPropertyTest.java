package dev.perigee.replica.follow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.replica.ByteLog;
import dev.perigee.replica.StreamLimits;
import dev.perigee.replica.feed.FeedFrame;
import dev.perigee.replica.feed.FeedTerms;
import dev.perigee.replica.feed.LogFeed;
import dev.perigee.replica.follow.LogIntake.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Feed and intake with a network between them that loses, doubles and breaks, and a log that is full now and then. */
class StreamPropertyTest {
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final int STEPS = 4_000;

    private final ByteLog master = new ByteLog(SEGMENT_BYTES);
    private final ByteLog replica = new ByteLog(SEGMENT_BYTES);
    private LogFeed feed = new LogFeed(master, FeedTerms.of(1, 1, 1, 0));
    private LogIntake intake = new LogIntake(LogIntake.Terms.of(1, 1), 0, 0, replica, 0);
    private final List<FeedFrame> wire = new ArrayList<>();
    /** What waits for the disk, of whichever feed. */
    private final List<Runnable> reads = new ArrayList<>();

    private long session;
    private int epoch = 1;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aReplicaBecomesTheSameLogWhateverTheNetworkDoes(long seed) {
        Random random = new Random(seed);
        connect(random);
        for (int nowMs = 0; nowMs < STEPS; nowMs++) {
            switch (random.nextInt(9)) {
                case 0 -> append(random);
                case 1, 2 -> send(nowMs);
                case 3, 4 -> deliver(0, nowMs);
                case 5 -> answer(nowMs);
                case 6 -> replica.full(random.nextInt(4) == 0);
                case 7 -> {
                    master.cold(random.nextInt(3) == 0);
                    finishReads();
                }
                default -> mishap(random, nowMs);
            }
            intake.drain(nowMs);
            assertThat(feed.fault()).isEmpty();
        }
        replica.full(false);
        connect(random);
        for (int nowMs = STEPS; replica.endOffset() < master.endOffset() && nowMs < 20 * STEPS; nowMs++) {
            send(nowMs);
            finishReads();
            deliver(0, nowMs);
            answer(nowMs);
        }
        feed.close();
        assertThat(master.pinned()).isZero();
        assertThat(replica.bytes()).isEqualTo(master.bytes());
    }

    private void send(long nowMs) {
        feed.beginTurn();
        feed.next(nowMs).ifPresent(frame -> {
            wire.add(frame);
            frame.release(); // its bytes stay, whatever becomes of the log
        });
        LogFeed asking = feed;
        feed.readElsewhere(nowMs)
                .ifPresent(read -> reads.add(() -> {
                    read.run();
                    asking.readDone();
                }));
    }

    private void finishReads() {
        reads.forEach(Runnable::run);
        reads.clear();
    }

    private void append(Random random) {
        if (random.nextInt(50) == 0) {
            master.epoch(++epoch);
            connect(random); // a new epoch is another sender
        }
        int[] bodies = new int[1 + random.nextInt(3)];
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = random.nextInt(random.nextInt(10) == 0 ? 9_000 : 500);
        }
        master.unit(bodies);
    }

    private void deliver(int index, long nowMs) {
        if (index < wire.size() && !intake.isFull()) {
            FeedFrame frame = wire.remove(index);
            if (intake.received(frame.header(), frame.bytes().duplicate(), nowMs) == Verdict.REFUSED) {
                connect(new Random(nowMs));
            }
        }
    }

    private void answer(long nowMs) {
        feed.held(replica.endOffset(), nowMs);
    }

    private void mishap(Random random, long nowMs) {
        if (wire.isEmpty()) {
            return;
        }
        int index = random.nextInt(wire.size());
        switch (random.nextInt(10)) {
            case 0 -> wire.remove(index);
            case 1 -> deliver(index, nowMs);
            case 2 -> connect(random);
            default -> wire.add(index + random.nextInt(wire.size() - index + 1), wire.get(index));
        }
    }

    /** What was on its way stays there, and arrives in a session it does not belong to. */
    private void connect(Random random) {
        feed.close();
        session++;
        intake.drain(0);
        int before = epochBefore();
        int windowBytes = 10_000 + random.nextInt(20_000);
        int frameBytes = 500 + random.nextInt(5_000);
        feed = new LogFeed(master, new FeedTerms(session, epoch, windowBytes, frameBytes, 0));
        feed.startAt(replica.endOffset(), before, 0);
        intake = new LogIntake(terms(session, epoch, frameBytes), replica.endOffset(), before, replica, 0);
    }

    private static LogIntake.Terms terms(long session, int epoch, int frameBytes) {
        return new LogIntake.Terms(session, epoch, StreamLimits.WINDOW_BYTES, StreamLimits.UNIT_BYTES, frameBytes);
    }

    private int epochBefore() {
        return master.epochBefore(replica.endOffset());
    }
}
