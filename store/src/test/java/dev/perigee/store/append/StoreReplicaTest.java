package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Loop;
import dev.perigee.store.Store;
import dev.perigee.store.StoreConfig;
import dev.perigee.store.StoreSeams;
import dev.perigee.store.append.Stream.Piece;
import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.view.Duty;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The views over a log that receives: level with what is confirmed, wherever it begins and whatever is cut off its end. */
final class StoreReplicaTest {
    private final Pair pair;
    private final CrashingDisk disk = new CrashingDisk(new Random(40));
    private final List<Throwable> faults = new ArrayList<>();
    private final Random random = new Random(41);
    private SwitchedReplication replication = new SwitchedReplication(Role.RECEIVES);

    StoreReplicaTest() throws IOException {
        pair = new Pair(42);
    }

    private Store open(long confirmedAtStart) throws IOException {
        return open(confirmedAtStart, StoreConfig.defaults(), Store.Views.none());
    }

    private Store open(long confirmedAtStart, StoreConfig wanted, Store.Views views) throws IOException {
        replication = new SwitchedReplication(Role.RECEIVES);
        replication.confirmLimit(confirmedAtStart);
        StoreConfig config =
                wanted.withSegmentSizeBytes(2 * LogRig.SEGMENT_BYTES).withMinFreeBytes(0, 0);
        Store store = Store.open(config, new StoreSeams(disk, pair.clock, random, 1, faults::add), replication, views);
        replication.confirmLimit(Long.MAX_VALUE);
        return store;
    }

    private void run(Store store, long ms) {
        for (long passed = 0; passed < ms; passed += 20) {
            for (Loop loop : store.loops()) {
                loop.doWork(pair.clock.monotonicMs());
            }
            pair.clock.pass(20);
        }
    }

    private void carry(Store store, long fromOffset, long confirmOffset) throws IOException {
        for (Piece piece : pair.stream.pieces(fromOffset, pair.writerEnd(), 5, random)) {
            assertThat(pair.stream.offer(store.received(), piece.offset(), piece.bytes(), confirmOffset))
                    .isTrue();
        }
        run(store, 400);
        assertThat(pair.stream.refusals()).isEmpty();
        assertThat(faults).isEmpty();
    }

    /** The messages of the writer up to an offset, counted for each queue. */
    private Map<String, Long> written(long toOffset) throws IOException {
        return pair.writer.messages().stream()
                .filter(frame -> frame.offset() < toOffset)
                .collect(Collectors.toMap(
                        frame -> frame.topic() + "/" + frame.queueId(), StoredFrame::queueOffset, Math::max));
    }

    private static Map<String, Long> seen(Store store) {
        return store.queues().topics().stream()
                .flatMap(topic -> store.queues().queues(topic).stream())
                .collect(Collectors.toMap(
                        queue -> queue.topic() + "/" + queue.queueId(), queue -> queue.maxOffset() - 1));
    }

    @Test
    void theViewsOfAnEmptyReplicaBeginWhereTheLogOfItsWriterDoes() throws IOException {
        pair.write(250);
        pair.writer.log().trimTo(3L * LogRig.SEGMENT_BYTES);
        long start = pair.writer.log().startOffset();
        Store store = open(0);
        run(store, 100);
        carry(store, start, pair.writerEnd());
        assertThat(store.viewLoop().appliedOffset()).isEqualTo(pair.writerEnd());
        assertThat(seen(store)).isEqualTo(written(pair.writerEnd()));
        for (ConsumeQueue queue : store.queues().queues("topic0")) {
            assertThat(queue.minOffset()).isPositive();
        }
        String before = store.queues().fingerprint();
        store.close();
        Store again = open(Long.MAX_VALUE);
        assertThat(again.queues().fingerprint()).isEqualTo(before);
        assertThat(again.log().extent()).isEqualTo(pair.writer.log().extent());
        again.close();
    }

    @Test
    void theViewsSeeNothingThatIsNotConfirmedAndNothingThatIsCut() throws IOException {
        pair.write(30);
        long confirmed = pair.writerEnd();
        pair.write(40);
        Store store = open(0);
        carry(store, 0, confirmed);
        assertThat(store.log().endOffset()).isEqualTo(pair.writerEnd());
        assertThat(store.viewLoop().appliedOffset()).isEqualTo(confirmed);
        assertThat(seen(store)).isEqualTo(written(confirmed));
        pair.stream.order(store.received(), confirmed);
        run(store, 100);
        assertThat(pair.stream.cut()).containsExactly(confirmed);
        assertThat(store.viewLoop().appliedOffset()).isEqualTo(confirmed);
        carry(store, confirmed, pair.writerEnd());
        assertThat(seen(store)).isEqualTo(written(pair.writerEnd()));
        store.close();
    }

    @Test
    void aReplicaOpensItsViewsUpToWhatWasConfirmedAndFoldsTheRestIntoItsTail() throws IOException {
        pair.write(30);
        long confirmed = pair.writerEnd();
        pair.write(40);
        Store store = open(0);
        carry(store, 0, confirmed);
        store.close();
        Store again = open(confirmed);
        assertThat(again.log().endOffset()).isEqualTo(pair.writerEnd());
        assertThat(again.log().confirmOffset()).isEqualTo(confirmed);
        assertThat(seen(again)).isEqualTo(written(confirmed));
        pair.stream.offer(again.received(), pair.writerEnd(), new byte[0], pair.writerEnd());
        run(again, 200);
        assertThat(seen(again)).isEqualTo(written(pair.writerEnd()));
        again.close();
    }

    @Test
    void aCheckpointLeavesTheEpochsForTheNextStart() throws IOException {
        pair.write(30);
        Store store = open(0);
        carry(store, 0, pair.writerEnd());
        store.close();
        assertThat(disk.exists("epochs")).isTrue();
        Store again = open(Long.MAX_VALUE);
        assertThat(again.recovery().scannedFrom()).isEqualTo(pair.writerEnd());
        assertThat(again.log().extent()).isEqualTo(pair.writer.log().extent());
        again.close();
    }

    @Test
    void aReplicaThatReceivedNothingSinceItsStartStillKnowsTheEpochAndTheTimeOfItsEnd() throws IOException {
        pair.write(30);
        Store store = open(0);
        carry(store, 0, pair.writerEnd());
        store.close();
        Store first = open(Long.MAX_VALUE);
        int epoch = first.recovery().epoch();
        long storedMs = first.recovery().storeTimestampMs();
        assertThat(epoch).isPositive();
        assertThat(storedMs).isPositive();
        first.close();
        Store second = open(Long.MAX_VALUE);
        assertThat(second.recovery().epoch()).isEqualTo(epoch);
        assertThat(second.recovery().storeTimestampMs()).isEqualTo(storedMs);
        assertThat(second.log().epoch()).isEqualTo(epoch);
        second.close();
    }

    @Test
    void aReplicaLeavesTrimmingAndAllThatAppendsToTheNodeItFollows() throws IOException {
        pair.write(250);
        List<String> calls = new ArrayList<>();
        Duty appending = nowMs -> {
            calls.add("appends");
            return 0;
        };
        Store store = open(0, StoreConfig.defaults(), new Store.Views(List.of(), facts -> List.of(appending)));
        carry(store, 0, pair.writerEnd());
        store.deleteExpired();
        pair.clock.pass(StoreConfig.defaults().retentionHours() * 3_600_000L + 1);
        run(store, 60_000);
        assertThat(calls).as("of a duty that appends").isEmpty();
        assertThat(store.log().startOffset()).isZero();
        assertThat(store.log().endOffset()).isEqualTo(pair.writerEnd());
        assertThat(faults).isEmpty();
        store.close();
    }

    /** A view whose own store is durable beyond every checkpoint, as it is after a kill. */
    private static final class OwnStore implements LogView {
        private Optional<LogPosition> position = Optional.empty();
        private boolean forgotten;

        @Override
        public String name() {
            return "own";
        }

        @Override
        public void apply(LogEntry entry) {}

        @Override
        public ViewImage freeze() {
            return target -> {};
        }

        @Override
        public void restore(DataInput state) {}

        @Override
        public void forget() {
            forgotten = true;
        }

        @Override
        public Optional<LogPosition> ownPosition() {
            return position;
        }
    }

    /** What any view has durably applied was confirmed: it is not thrown away because the start knows of less. */
    @Test
    void aViewThatIsDurableBeyondWhatTheStartKnowsToBeConfirmedIsKept() throws IOException {
        pair.write(30);
        long confirmed = pair.writerEnd();
        pair.write(40);
        OwnStore own = new OwnStore();
        Store.Views views = new Store.Views(List.of(own), facts -> List.of());
        Store store = open(0, StoreConfig.defaults(), views);
        carry(store, 0, confirmed);
        long logId = store.log().logId();
        store.close();
        own.position = Optional.of(new LogPosition(logId, 1, pair.writerEnd()));
        own.forgotten = false;
        Store again = open(confirmed, StoreConfig.defaults(), views);
        assertThat(own.forgotten).isFalse();
        assertThat(again.log().confirmOffset()).isEqualTo(pair.writerEnd());
        assertThat(seen(again)).as("all views are level").isEqualTo(written(pair.writerEnd()));
        run(again, 100);
        assertThat(faults).isEmpty();
        again.close();

        own.position = Optional.of(new LogPosition(logId, 1, pair.writerEnd() + 1));
        own.forgotten = false;
        open(confirmed, StoreConfig.defaults(), views).close();
        assertThat(own.forgotten).as("it is ahead of all that is stored").isTrue();
    }
}
