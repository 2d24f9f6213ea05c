package dev.perigee.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.carry.ViewWorld;
import dev.perigee.broker.carry.ViewWorld.Carried;
import dev.perigee.broker.carry.ViewWorld.Carrying;
import dev.perigee.broker.carry.WatchedStores;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.broker.query.FrameLookup;
import dev.perigee.broker.transaction.Outcomes.Closed;
import dev.perigee.broker.transaction.TransactionView.Limits;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.HalfRolledBack;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.TestLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionViewTest {
    private static final long ACCEPTED_MS = 3_000;
    private static final long ASKED_MS = 4_500;
    private static final ClockNote TOLD = new ClockNote(77, 4_000);

    private final ViewWorld world = new ViewWorld();
    private final TestLog log = world.log;
    private final MemoryViewStores stores = new MemoryViewStores();
    private TransactionView view = new TransactionView(stores, () -> TOLD);
    private long fed;
    private long halves;

    /** A half as the test knows it. */
    private Half begins(long nextCheckMs) {
        long birth = log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", nextCheckMs + ",t" + ACCEPTED_MS));
        return new Half(birth, birth, (int) (log.end() - birth), halves++, nextCheckMs, 0, ACCEPTED_MS, 0);
    }

    private Half copied(Half half) {
        long at = log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", mark(half)));
        halves++;
        return moved(half, at);
    }

    private Half moved(Half half, long at) {
        return new Half(
                half.birth(),
                at,
                (int) (log.end() - at),
                half.queueOffset(),
                half.nextCheckMs(),
                half.checks(),
                half.acceptedMs(),
                half.askedMs());
    }

    /** The mark of a copy. */
    private static String mark(Half half) {
        return half.nextCheckMs() + ":" + half.birth() + ":" + half.offset() + ":" + half.queueOffset() + ":"
                + half.checks() + ":" + half.acceptedMs() + (half.askedMs() == 0 ? "" : ",l" + half.askedMs());
    }

    private void closed(Half half, String topic, String how) {
        log.append(log.next(topic, 0)
                .property("__HALF#", half.nextCheckMs() + ":" + half.birth() + ":" + half.offset() + ":" + how));
    }

    private void committed(Half half) {
        closed(half, "orders", "c");
    }

    private void rolledBack(Half half) {
        log.append(new HalfRolledBack(List.of(half.ref()), "told so"));
    }

    private Half checked(Half half, long nextCheckMs, boolean counted) {
        HalvesChecked turn = new HalvesChecked(List.of(half.ref()), nextCheckMs, counted, ASKED_MS);
        log.append(turn);
        return half.checked(turn);
    }

    /** Applies what is new in the log, as one pass. */
    private void feed() {
        fed = world.feed(view, fed);
    }

    private TransactionView rebuilt() {
        TransactionView rebuilt = new TransactionView(new MemoryViewStores(), () -> TOLD);
        world.feed(rebuilt, 0);
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
        long closedAt = log.end();
        committed(half);
        feed();
        assertThat(undecided()).isEmpty();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(view.fingerprint()).startsWith("0 undecided, 0 checks, 0 places, 1 decided");
        assertThat(view.closed(half.birth())).isEqualTo(new Closed(Outcome.COMMITTED, half.birth(), closedAt));
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
        assertThat(Objects.requireNonNull(view.closed(first.birth())).outcome()).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(Objects.requireNonNull(view.closed(second.birth())).outcome())
                .isEqualTo(Outcome.SET_ASIDE);
    }

    @Test
    void closingWhatIsNotKnownDoesNothing() throws IOException {
        committed(new Half(77, 77, 200, 0, 5_000, 0, 0, 0));
        rolledBack(new Half(78, 78, 200, 0, 5_000, 0, 0, 0));
        feed();
        Half half = begins(5_000);
        feed();
        committed(new Half(half.birth() + 1, half.birth() + 1, 200, 0, 6_000, 0, 0, 0));
        feed();
        assertThat(undecided()).containsExactly(half);
    }

    @Test
    void marksThatAreNoneAreIgnored() throws IOException {
        for (String mark : List.of(
                "soon", "1:2", "1:2:3", "1:2:3:x", "-1", "1:-2:3:c", "1:2:3:4:x", "1:2:3:4:5:x", "1:2:3:4:5:6:7")) {
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
        assertThat(view.fingerprint()).startsWith("0 undecided, 0 checks, 0 places, 1 decided");
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
        assertThat(closing).isEqualTo(new HalfRolledBack(List.of(half.ref()), "its frame is damaged"));
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

    private CheckRound look(ViewStore store, long nowMs) throws IOException {
        FaultLog faults = new FaultLog("test", Clock.system());
        return CheckRound.look(store, new FrameLookup(log.log(), ViewWorld.SEGMENT_BYTES), faults, 0, nowMs);
    }

    @Test
    void aRoundLooksAtDueOnesOnly() throws IOException {
        int undecided = 100_000;
        int due = 7;
        WatchedStores many = new WatchedStores();
        ViewStore store = many.open(TransactionView.NAME);
        ViewBatch batch = new ViewBatch();
        for (int i = 0; i < undecided; i++) {
            Half half = new Half(1_000L * i, 1_000L * i, 300, i, i < due ? 5_000 + i : 1_000_000 + i, 0, 0, 0);
            byte[] value = HalfKeys.value(half);
            batch.put(HalfKeys.birth(half.birth()), value);
            batch.put(HalfKeys.check(half.nextCheckMs(), half.birth()), value);
            batch.put(HalfKeys.place(half.offset()), value);
        }
        store.write(batch, new LogPosition(TestLog.LOG_ID, 1, 0));
        CheckRound round = look(store, 9_000);
        assertThat(round.due()).hasSize(due);
        assertThat(round.nextMs()).isEqualTo(1_000_000 + due);
        assertThat(many.visited).isEqualTo(due + 1);

        CheckRound later = look(store, 2_000_000);
        assertThat(later.due()).hasSize(CheckRound.MAX_HALVES);
        assertThat(many.visited).isEqualTo(due + 1 + CheckRound.MAX_HALVES + 1);
    }

    @Test
    void aHalfThatCannotBeShownSpoilsTheLookAtNoOther() throws IOException {
        log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", "5000")); // nothing says where it belongs
        log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", "6000").property("REAL_TOPIC", "T"));
        feed();
        CheckRound round = look(Objects.requireNonNull(view.store()), 9_000);
        assertThat(round.due()).extracting(due -> due.seen() != null).containsExactly(false, true);
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
        long to = world.apply(view, fed);
        view.trimmed(copy.offset()); // as the loop calls it, before the pass has ended
        world.endPass(view, to);
        assertThat(undecided()).containsExactlyInAnyOrder(copy, openCopy);
        assertThat(view.fingerprint()).startsWith("2 undecided, 2 checks");
        assertThat(view.firstLiveOffset()).isEqualTo(copy.offset());
    }

    @Test
    void whatBecameOfAHalfIsKnownAfterARestartAndFromTheLogAlone() throws IOException {
        Half first = begins(5_000);
        Half second = begins(6_000);
        Half third = begins(7_000);
        feed();
        committed(first);
        log.append(new HalfRolledBack(List.of(third.ref(), second.ref()), "both"));
        feed();
        byte[] checkpoint = world.checkpoint(view);
        Closed rolledBack = view.closed(third.birth());
        assertThat(rolledBack).extracting(Closed::outcome).isEqualTo(Outcome.ROLLED_BACK);
        String fingerprint = view.fingerprint();
        stores.crash(new Random(0));
        TransactionView restored = ViewWorld.restored(new TransactionView(stores, () -> TOLD), checkpoint);
        for (TransactionView each : List.of(restored, rebuilt())) {
            assertThat(each.closed(first.birth())).isEqualTo(view.closed(first.birth()));
            assertThat(each.closed(second.birth())).isEqualTo(view.closed(second.birth()));
            assertThat(each.closed(third.birth())).isEqualTo(rolledBack);
            assertThat(each.fingerprint()).isEqualTo(fingerprint);
        }
    }

    @Test
    void ofTheDecidedOnesOnlyTheLastAreRememberedAndNoneThatTheLogForgot() throws IOException {
        Limits few = new Limits(100, 3, 100);
        view = new TransactionView(stores, () -> TOLD, few);
        List<Half> decided = new ArrayList<>();
        long[] closedAt = new long[5];
        for (int i = 0; i < 5; i++) {
            decided.add(begins(5_000));
            closedAt[i] = log.end();
            committed(decided.get(i));
            feed();
        }
        assertThat(decided)
                .extracting(half -> view.closed(half.birth()) != null)
                .containsExactly(false, false, true, true, true);
        TransactionView rebuilt = new TransactionView(new MemoryViewStores(), () -> TOLD, few);
        world.feed(rebuilt, 0);
        assertThat(rebuilt.fingerprint()).isEqualTo(view.fingerprint());

        view.trimmed(closedAt[3]);
        view.passEnded();
        assertThat(decided)
                .extracting(half -> view.closed(half.birth()) != null)
                .containsExactly(false, false, false, true, true);
        TransactionView ofWhatIsLeft = new TransactionView(new MemoryViewStores(), () -> TOLD, few);
        world.feed(ofWhatIsLeft, closedAt[3]);
        assertThat(view.fingerprint()).isEqualTo(ofWhatIsLeft.fingerprint());
    }

    @Test
    void moreThanAreHeldInMemoryAreInTheStore() throws IOException {
        view = new TransactionView(stores, () -> TOLD, new Limits(2, 100, 100));
        List<Half> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(begins(5_000 + i));
        }
        feed();
        assertThat(all)
                .extracting(half -> view.window().known(half.birth()) != null)
                .containsExactly(false, false, true, true);
        assertThat(undecided()).containsExactlyElementsOf(all);
        committed(all.get(0));
        feed();
        assertThat(undecided()).containsExactlyElementsOf(all.subList(1, 4));
    }

    @Test
    void whatWasGatheredAheadIsCarriedAsItIsNowWithoutAnotherLookIntoTheStore() throws IOException {
        WatchedStores watched = new WatchedStores();
        view = new TransactionView(watched, () -> TOLD);
        Half first = begins(5_000);
        Half second = begins(6_000);
        Half third = begins(7_000);
        Half fourth = begins(8_000);
        feed();
        ViewWorld.finish(view.lookAhead(fourth.offset()));
        watched.shut = true;
        Half asked = checked(first, 35_000, true);
        committed(second);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(first.offset());
        Carrying round = new Carrying();
        view.carryForward(fourth.offset(), round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(first.offset(), third.offset());
        assertThat(markOf(round.frames.get(0)))
                .isEqualTo("35000:" + asked.birth() + ":" + asked.offset() + ":0:1:" + ACCEPTED_MS + ",l" + ASKED_MS
                        + ",s77,t4000");
        round.frames.forEach(each -> world.append(each, "__HALF#"));
        feed();
        assertThat(view.firstLiveOffset()).isGreaterThanOrEqualTo(fourth.offset());
        view.trimmed(fourth.offset());
        view.passEnded();
        watched.shut = false;
        assertThat(undecided()).extracting(Half::birth).containsExactly(first.birth(), third.birth(), fourth.birth());
        assertThat(undecided().get(0).checks()).isEqualTo(1);
    }

    /** The mark of the copy that retention would make. */
    private String markOf(Carried carried) {
        return Objects.requireNonNull(world.copyOf(carried).property("__HALF#"));
    }

    @Test
    void marksOfALogFromBeforeCountFromTheNextCheck() throws IOException {
        long birth = log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", "5000"));
        feed();
        assertThat(undecided()).extracting(Half::acceptedMs).containsExactly(5_000L);
        log.append(log.next(SystemTopic.HALF, 0).property("__HALF#", "5000:" + birth + ":" + birth + ":0:0"));
        feed();
        assertThat(undecided()).extracting(Half::acceptedMs).containsExactly(5_000L);
    }

    @Test
    void aCheckpointOfAnotherVersionOrWithoutItsStoreIsRefusedSoThatTheViewIsRebuilt() throws IOException {
        begins(5_000);
        feed();
        byte[] checkpoint = world.checkpoint(view);
        TransactionView elsewhere = new TransactionView(new MemoryViewStores(), () -> TOLD);
        assertThatThrownBy(() -> ViewWorld.restored(elsewhere, checkpoint))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gone");
        elsewhere.forget();
        world.feed(elsewhere, 0);
        assertThat(elsewhere.fingerprint()).isEqualTo(view.fingerprint());
        ByteBuffer.wrap(checkpoint).putInt(0, 99);
        TransactionView other = new TransactionView(stores, () -> TOLD);
        assertThatThrownBy(() -> ViewWorld.restored(other, checkpoint))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 99");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aViewThatLivedThroughItAllIsEqualToOneRebuilt(long seed) throws IOException {
        Random random = new Random(seed);
        List<Half> pending = new ArrayList<>();
        byte[] checkpoint = null;
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
                checkpoint = world.checkpoint(view);
            } else if (checkpoint != null) {
                feed();
                stores.crash(random);
                view = ViewWorld.restored(new TransactionView(stores, () -> TOLD), checkpoint);
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

    /** Halves as they are decided, checked, gathered and carried, all at the same time. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void carryingThatRacesWithDecisionsAndChecksNeitherLosesNorUndoesAny(long seed) throws IOException {
        Random random = new Random(seed);
        view = new TransactionView(stores, () -> TOLD, new Limits(5, 1_000, seed % 3 == 0 ? 3 : 1_000));
        List<Half> free = new ArrayList<>();
        List<Half> carried = new ArrayList<>();
        List<Carried> copies = new ArrayList<>(); // of these
        PacedTask gathering = null;
        long cut = 0;
        for (int step = 0; step < 600; step++) {
            int choice = random.nextInt(12);
            if (choice < 3 || free.isEmpty()) {
                free.add(begins(random.nextInt(60_000)));
            } else if (choice < 5) {
                committed(free.remove(random.nextInt(free.size())));
            } else if (choice < 7) {
                Half one = free.remove(random.nextInt(free.size()));
                free.add(checked(one, one.nextCheckMs() + random.nextInt(30_000), random.nextBoolean()));
            } else if (choice < 9) {
                cut = gathering == null ? (long) (random.nextDouble() * fed) : cut;
                PacedTask now = gathering == null ? view.lookAhead(cut) : gathering;
                gathering = now.step() ? now : null;
            } else if (choice == 9 && gathering == null) {
                feed();
                Carrying round = new Carrying();
                view.carryForward(cut, round);
                for (Carried each : round.frames) {
                    Half half = free.stream()
                            .filter(one -> one.offset() == each.offset())
                            .findAny()
                            .orElseThrow(() -> new AssertionError("seed " + seed + ": nothing free at " + each));
                    free.remove(half);
                    carried.add(half);
                    copies.add(each);
                }
            } else if (!carried.isEmpty()) {
                Half half = carried.remove(0);
                Carried copy = copies.remove(0);
                if (random.nextInt(4) == 0) {
                    copy.copy().failed();
                    free.add(half);
                } else {
                    assertThat(markOf(copy)).as("seed %s", seed).startsWith(mark(half) + ",");
                    long at = world.append(copy, "__HALF#");
                    halves++;
                    free.add(moved(half, at));
                }
            }
            if (random.nextInt(3) == 0) {
                feed();
                long first = Stream.concat(free.stream(), carried.stream())
                        .mapToLong(Half::offset)
                        .min()
                        .orElse(Long.MAX_VALUE);
                assertThat(view.firstLiveOffset()).as("seed %s", seed).isLessThanOrEqualTo(first);
            }
        }
        feed();
        free.addAll(carried);
        assertThat(undecided()).as("seed %s", seed).containsExactlyInAnyOrderElementsOf(free);
        assertThat(view.fingerprint()).as("seed %s", seed).isEqualTo(rebuilt().fingerprint());
    }
}
