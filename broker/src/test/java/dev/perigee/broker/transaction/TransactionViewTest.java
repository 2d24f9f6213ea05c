package dev.perigee.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.transaction.HalfWindow.Closed;
import dev.perigee.broker.transaction.HalfWindow.Outcome;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.TestLog;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionViewTest {
    private static final int SEGMENT_BYTES = 1 << 20;

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final TestLog log = new TestLog(disk, SEGMENT_BYTES);
    private final MemoryViewStores stores = new MemoryViewStores();
    private TransactionView view = new TransactionView(stores);
    private long fed;
    private long halves;

    /** What a view hands out to be carried. */
    private record Carried(long offset, LogView.FrameCopy copy) {}

    private static final class Carrying implements LogView.CarrySink {
        final List<Carried> frames = new ArrayList<>();

        @Override
        public void fact(Fact fact) {
            throw new AssertionError("a fact: " + fact);
        }

        @Override
        public void frame(long offset, LogView.FrameCopy copy) {
            frames.add(new Carried(offset, copy));
        }
    }

    /** A half as the test knows it. */
    private Half begins(long nextCheckMs) {
        long birth = log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", Long.toString(nextCheckMs)));
        return new Half(birth, birth, (int) (log.end() - birth), halves++, nextCheckMs, 0);
    }

    private Half copied(Half half) {
        String mark = half.nextCheckMs() + ":" + half.birth() + ":" + half.offset() + ":" + half.queueOffset() + ":"
                + half.checks();
        long at = log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", mark));
        halves++;
        return new Half(
                half.birth(), at, (int) (log.end() - at), half.queueOffset(), half.nextCheckMs(), half.checks());
    }

    private void closed(Half half, String topic, String how) {
        log.append(log.next(topic, 0)
                .property("__HALF#", half.nextCheckMs() + ":" + half.birth() + ":" + half.offset() + ":" + how));
    }

    private void committed(Half half) {
        closed(half, "orders", "c");
    }

    private void rolledBack(Half half) {
        log.append(new HalfRolledBack(List.of(ref(half)), "told so"));
    }

    private Half checked(Half half, long nextCheckMs, boolean counted) {
        log.append(new HalvesChecked(List.of(ref(half)), nextCheckMs, counted));
        return new Half(
                half.birth(),
                half.offset(),
                half.sizeBytes(),
                half.queueOffset(),
                nextCheckMs,
                half.checks() + (counted ? 1 : 0));
    }

    private static HalfRef ref(Half half) {
        return new HalfRef(
                half.birth(), half.offset(), half.sizeBytes(), half.queueOffset(), half.nextCheckMs(), half.checks());
    }

    /** Applies what is new in the log, as one pass. */
    private void feed() {
        fed = feed(view, fed);
    }

    private long feed(TransactionView fedView, long from) {
        LogReader reader = new LogReader(log.log(), from);
        LogEntry entry = new LogEntry();
        try {
            while (reader.next()) {
                fedView.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        fedView.reached(new LogPosition(TestLog.LOG_ID, 1, reader.position()));
        fedView.passEnded();
        return reader.position();
    }

    private TransactionView rebuilt() {
        TransactionView rebuilt = new TransactionView(new MemoryViewStores());
        feed(rebuilt, 0);
        return rebuilt;
    }

    /** Every half in the store, by birth. */
    private List<Half> undecided() throws IOException {
        List<Half> found = new ArrayList<>();
        ViewStore store = view.store();
        if (store != null) {
            store.scan(HalfKeys.birth(0), HalfKeys.birthEnd(), (key, value) -> found.add(HalfKeys.half(value)));
        }
        return found;
    }

    @Test
    void aHalfIsUndecidedUntilItsCommitIsApplied() throws IOException {
        Half half = begins(5_000);
        log.append(log.next("other", 0));
        feed();
        assertThat(undecided()).containsExactly(half);
        assertThat(view.firstLiveOffset()).isEqualTo(half.birth());
        assertThat(view.window().known(half.birth())).isEqualTo(half);
        committed(half);
        feed();
        assertThat(undecided()).isEmpty();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(view.fingerprint()).isEmpty();
        assertThat(view.window().closed(half.birth())).isEqualTo(new Closed(Outcome.COMMITTED, half.birth()));
    }

    @Test
    void aCommitThatWaitsForItsTimeClosesTheHalfToo() throws IOException {
        Half half = begins(5_000);
        feed();
        log.append(log.next(SystemTopic.SCHEDULE, 2)
                .property("__HALF#", half.nextCheckMs() + ":" + half.birth() + ":" + half.offset() + ":c")
                .property("__TIMER#", "70000"));
        feed();
        assertThat(undecided()).isEmpty();
    }

    @Test
    void aRollbackAndAnEndOfPatienceCloseIt() throws IOException {
        Half first = begins(5_000);
        Half second = begins(6_000);
        Half third = begins(7_000);
        feed();
        rolledBack(first);
        closed(second, SystemTopic.TRANSACTION_CHECK_MAX, "s");
        feed();
        assertThat(undecided()).containsExactly(third);
        assertThat(Objects.requireNonNull(view.window().closed(first.birth())).outcome())
                .isEqualTo(Outcome.ROLLED_BACK);
        assertThat(Objects.requireNonNull(view.window().closed(second.birth())).outcome())
                .isEqualTo(Outcome.SET_ASIDE);
    }

    @Test
    void closingWhatIsNotKnownDoesNothing() throws IOException {
        committed(new Half(77, 77, 200, 0, 5_000, 0));
        rolledBack(new Half(78, 78, 200, 0, 5_000, 0));
        feed();
        Half half = begins(5_000);
        feed();
        committed(new Half(half.birth() + 1, half.birth() + 1, 200, 0, 6_000, 0));
        feed();
        assertThat(undecided()).containsExactly(half);
    }

    @Test
    void marksThatAreNoneAreIgnored() throws IOException {
        for (String mark : List.of("soon", "1:2", "1:2:3", "1:2:3:x", "-1", "1:-2:3:c", "1:2:3:4:x", "1:2:3:4:5:6")) {
            log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", mark));
        }
        log.append(log.next("user", 0).property("__HALF#", "5"));
        log.append(log.next("user", 0).property("__HALF#", "5:6:7:8:9"));
        feed();
        assertThat(view.fingerprint()).isEmpty();
        assertThat(stores.exists(TransactionView.NAME))
                .as("a store is opened with the first half")
                .isFalse();
    }

    @Test
    void aCheckMovesTheNextOneAndCountsOnlyWhenSomebodyWasAsked() throws IOException {
        Half half = begins(5_000);
        feed();
        Half once = checked(half, 35_000, true);
        feed();
        assertThat(undecided()).containsExactly(once);
        Half still = checked(once, 95_000, false);
        feed();
        assertThat(undecided()).containsExactly(still);
        assertThat(still.checks()).isEqualTo(1);
        assertThat(view.fingerprint()).startsWith("1 undecided, 1 checks");
        committed(still);
        feed();
        assertThat(view.fingerprint()).isEmpty();
    }

    @Test
    void aCopyTakesThePlaceOfItsFrameAndKeepsBirthPlaceAndChecks() throws IOException {
        Half half = begins(5_000);
        begins(1_000_000);
        feed();
        Half asked = checked(half, 35_000, true);
        Half copy = copied(asked);
        Half copyOfCopy = copied(copy);
        feed();
        assertThat(undecided()).contains(copyOfCopy);
        assertThat(copyOfCopy.queueOffset()).isEqualTo(half.queueOffset());
        assertThat(copyOfCopy.birth()).isEqualTo(half.birth());
        assertThat(copyOfCopy.checks()).isEqualTo(1);
        committed(copyOfCopy);
        feed();
        assertThat(view.fingerprint())
                .startsWith("1 undecided, 1 checks")
                .isEqualTo(rebuilt().fingerprint());
    }

    @Test
    void whatIsCarriedIsClaimedUntilTheCopyIsAppliedOrFailed() {
        Half first = begins(7_200_000);
        Half second = begins(5_000);
        Half third = begins(6_000);
        feed();
        Carrying round = new Carrying();
        view.carryForward(third.birth(), round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(first.birth(), second.birth());
        assertThat(view.window().isClaimed(first.birth())).isTrue();
        assertThat(view.window().isClaimed(third.birth())).isFalse();
        Carrying again = new Carrying();
        view.carryForward(third.birth(), again);
        assertThat(again.frames).isEmpty();

        round.frames.get(1).copy().failed();
        view.carryForward(third.birth(), again);
        assertThat(again.frames).extracting(Carried::offset).containsExactly(second.birth());

        copied(first);
        feed();
        assertThat(view.window().isClaimed(first.birth())).isFalse();
        assertThat(view.firstLiveOffset()).isEqualTo(second.birth());
        copied(second);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(third.birth());
    }

    @Test
    void aFrameThatIsLostIsClosedByName() throws IOException {
        Half half = begins(5_000);
        feed();
        Carrying round = new Carrying();
        view.carryForward(log.end(), round);
        Fact closing = round.frames.get(0).copy().lost();
        assertThat(closing).isEqualTo(new HalfRolledBack(List.of(ref(half)), "its frame is damaged"));
        log.append(closing);
        feed();
        assertThat(view.window().isClaimed(half.birth())).isFalse();
        assertThat(undecided()).isEmpty();
    }

    @Test
    void whoWaitsForAClaimHasItsTurnWhenTheHalfIsAnotherOrTheClaimIsLetGo() {
        Half half = begins(5_000);
        feed();
        HalfWindow window = view.window();
        window.claim(half.birth());
        List<String> turns = new ArrayList<>();
        assertThat(window.await(half.birth(), () -> turns.add("a"))).isTrue();
        assertThat(window.await(half.birth(), () -> turns.add("b"))).isTrue();
        assertThat(window.takeFreed()).isEmpty();
        committed(half);
        feed();
        window.takeFreed().forEach(Runnable::run);
        assertThat(turns).containsExactly("a", "b");
        assertThat(window.isClaimed(half.birth())).isFalse();
        window.claim(half.birth());
        for (int i = 0; i < HalfWindow.MAX_LINE; i++) {
            assertThat(window.await(half.birth(), () -> turns.add("c"))).isTrue();
        }
        assertThat(window.await(half.birth(), () -> turns.add("d"))).isFalse();
        window.letGo(half.birth());
        assertThat(window.takeFreed()).hasSize(HalfWindow.MAX_LINE);
    }

    @Test
    void aRoundLooksAtDueOnesOnly() throws IOException {
        int undecided = 100_000;
        int due = 7;
        MemoryViewStores many = new MemoryViewStores();
        ViewStore store = many.open(TransactionView.NAME);
        ViewBatch batch = new ViewBatch();
        for (int i = 0; i < undecided; i++) {
            Half half = new Half(1_000L * i, 1_000L * i, 300, i, i < due ? 5_000 + i : 1_000_000 + i, 0);
            byte[] value = HalfKeys.value(half);
            batch.put(HalfKeys.birth(half.birth()), value);
            batch.put(HalfKeys.check(half.nextCheckMs(), half.birth()), value);
            batch.put(HalfKeys.place(half.offset()), value);
        }
        store.write(batch, new LogPosition(TestLog.LOG_ID, 1, 0));
        CountingStore counting = new CountingStore(store);
        CheckRound round = CheckRound.look(counting, new FrameLookup(log.log(), SEGMENT_BYTES), 0, 9_000);
        assertThat(round.due()).hasSize(due);
        assertThat(round.nextMs()).isEqualTo(1_000_000 + due);
        assertThat(counting.visited).isEqualTo(due + 1);

        CheckRound later = CheckRound.look(counting, new FrameLookup(log.log(), SEGMENT_BYTES), 0, 2_000_000);
        assertThat(later.due()).hasSize(CheckRound.MAX_HALVES);
        assertThat(counting.visited).isEqualTo(due + 1 + CheckRound.MAX_HALVES + 1);
    }

    /** Counts the entries that walks come by. */
    private static final class CountingStore implements ViewStore {
        private final ViewStore real;
        int visited;

        CountingStore(ViewStore real) {
            this.real = real;
        }

        @Override
        public Optional<LogPosition> position() {
            return real.position();
        }

        @Override
        public void write(ViewBatch batch, LogPosition reached) throws IOException {
            real.write(batch, reached);
        }

        @Override
        public Optional<byte[]> get(byte[] key) throws IOException {
            visited++;
            return real.get(key);
        }

        @Override
        public void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException {
            real.scan(from, to, (key, value) -> {
                visited++;
                return visitor.visit(key, value);
            });
        }

        @Override
        public void flush() throws IOException {
            real.flush();
        }

        @Override
        public void destroy() throws IOException {
            real.destroy();
        }

        @Override
        public void close() throws IOException {
            real.close();
        }
    }

    @Test
    void aTrimInThePassOfTheCopyOrTheCommitTakesNothingFromThem() throws IOException {
        Half carried = begins(5_000);
        Half decided = begins(6_000);
        Half open = begins(7_000);
        feed();
        Half copy = copied(carried);
        Half openCopy = copied(checked(open, 37_000, true));
        committed(decided);
        LogReader reader = new LogReader(log.log(), fed);
        LogEntry entry = new LogEntry();
        while (reader.next()) {
            view.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
        }
        view.trimmed(copy.offset()); // as the loop calls it, before the pass has ended
        view.reached(new LogPosition(TestLog.LOG_ID, 1, reader.position()));
        view.passEnded();
        assertThat(undecided()).containsExactlyInAnyOrder(copy, openCopy);
        assertThat(view.fingerprint()).startsWith("2 undecided, 2 checks");
        assertThat(view.firstLiveOffset()).isEqualTo(copy.offset());
    }

    @Test
    void whatLiesBelowALogCutByHandIsForgotten() throws IOException {
        begins(5_000);
        Half second = begins(6_000);
        feed();
        view.trimmed(second.birth());
        view.passEnded();
        assertThat(undecided()).containsExactly(second);
    }

    @Test
    void aCheckpointOfAnotherVersionOrWithoutItsStoreIsRefusedSoThatTheViewIsRebuilt() throws IOException {
        begins(5_000);
        feed();
        byte[] checkpoint = checkpoint().toByteArray();
        TransactionView elsewhere = new TransactionView(new MemoryViewStores());
        assertThatThrownBy(() -> elsewhere.restore(new DataInputStream(new ByteArrayInputStream(checkpoint))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gone");
        elsewhere.forget();
        feed(elsewhere, 0);
        assertThat(elsewhere.fingerprint()).isEqualTo(view.fingerprint());
        ByteBuffer.wrap(checkpoint).putInt(0, 99);
        TransactionView other = new TransactionView(stores);
        assertThatThrownBy(() -> other.restore(new DataInputStream(new ByteArrayInputStream(checkpoint))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 99");
    }

    private ByteArrayOutputStream checkpoint() throws IOException {
        var image = view.freeze();
        while (image.forceSome(disk)) {
            // to its end
        }
        ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
        image.write(new DataOutputStream(checkpoint));
        return checkpoint;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aViewThatLivedThroughItAllIsEqualToOneRebuilt(long seed) throws IOException {
        Random random = new Random(seed);
        List<Half> pending = new ArrayList<>();
        ByteArrayOutputStream checkpoint = null;
        for (int step = 0; step < 400; step++) {
            int choice = random.nextInt(12);
            if (choice < 4 || pending.isEmpty()) {
                pending.add(begins(random.nextInt(60_000)));
            } else if (choice < 6) {
                committed(pending.remove(random.nextInt(pending.size())));
            } else if (choice == 6) {
                rolledBack(pending.remove(random.nextInt(pending.size())));
            } else if (choice == 7) {
                closed(pending.remove(random.nextInt(pending.size())), SystemTopic.TRANSACTION_CHECK_MAX, "s");
            } else if (choice == 8) {
                pending.add(copied(pending.remove(random.nextInt(pending.size()))));
            } else if (choice == 9) {
                Half one = pending.remove(random.nextInt(pending.size()));
                pending.add(checked(one, one.nextCheckMs() + random.nextInt(30_000), random.nextBoolean()));
            } else if (choice == 10) {
                feed();
                checkpoint = checkpoint();
            } else if (checkpoint != null) {
                feed();
                stores.crash(random);
                view = new TransactionView(stores);
                view.restore(new DataInputStream(new ByteArrayInputStream(checkpoint.toByteArray())));
                fed = view.ownPosition().map(LogPosition::offset).orElse(fed);
            }
            if (random.nextInt(3) == 0) {
                feed();
            }
        }
        feed();
        assertThat(undecided()).as("seed %s", seed).containsExactlyInAnyOrderElementsOf(pending);
        long first = pending.stream().mapToLong(Half::offset).min().orElse(Long.MAX_VALUE);
        assertThat(view.firstLiveOffset()).as("seed %s", seed).isEqualTo(first);
        assertThat(view.fingerprint()).as("seed %s", seed).isEqualTo(rebuilt().fingerprint());
    }
}
