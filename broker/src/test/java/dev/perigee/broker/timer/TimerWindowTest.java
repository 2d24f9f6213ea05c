package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.timer.TimerHorizon.Due;
import dev.perigee.broker.timer.TimerHorizon.Scan;
import dev.perigee.broker.timer.TimerHorizon.Scanned;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimerWindowTest {
    private static final int SIZE_BYTES = 100;

    private final TimerWindow window = new TimerWindow(10);
    /** What lies in the store, by due time and birth. */
    private final TreeMap<Due, Long> stored = new TreeMap<>();

    private long wallMs = 1_000_000;

    private void waits(long dueMs, long birth) {
        stored.put(new Due(dueMs, birth), birth);
        window.added(new WaitingMessage(dueMs, birth, birth, SIZE_BYTES, 0));
    }

    private void delivered(WaitingMessage message) {
        stored.remove(new Due(message.dueMs, message.birth));
        window.closed(message.birth);
    }

    private Scanned scanned(Scan scan) {
        List<WaitingMessage> found = new ArrayList<>();
        for (Map.Entry<Due, Long> entry : stored.tailMap(scan.from()).entrySet()) {
            Due due = entry.getKey();
            if (due.compareTo(scan.to()) >= 0 || found.size() == scan.room()) {
                return new Scanned(found, due.compareTo(scan.to()) < 0 ? due : scan.to(), due.dueMs());
            }
            found.add(new WaitingMessage(due.dueMs(), due.birth(), entry.getValue(), SIZE_BYTES, 0));
        }
        return new Scanned(found, scan.to(), Long.MAX_VALUE);
    }

    private Scan begin() {
        return Objects.requireNonNull(window.beginScan(wallMs));
    }

    private void load() {
        window.endScan(scanned(begin()));
    }

    private List<Long> fire() {
        List<Long> births = new ArrayList<>();
        for (WaitingMessage next = window.next(wallMs, wallMs); next != null; next = window.next(wallMs, wallMs)) {
            births.add(next.birth);
            delivered(next);
        }
        return births;
    }

    @Test
    void nothingIsGivenBeforeItIsDueAndEqualOnesInTheOrderOfTheirBirth() {
        waits(wallMs + 500, 3);
        waits(wallMs + 500, 1);
        waits(wallMs + 400, 2);
        load();
        assertThat(window.nextDueMs()).isEqualTo(wallMs + 400);
        wallMs += 399;
        assertThat(fire()).isEmpty();
        wallMs += 101;
        assertThat(fire()).containsExactly(2L, 1L, 3L);
        assertThat(window.nextDueMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nothingIsLookedForWhileNothingIsDueSoon() {
        waits(wallMs + 7_200_000, 1);
        assertThat(window.beginScan(wallMs)).isNull();
        assertThat(window.nextLoadMs()).isEqualTo(wallMs + 7_200_000 - TimerHorizon.SOON_MS);
        wallMs += 7_200_000 - TimerHorizon.SOON_MS;
        load();
        wallMs += TimerHorizon.SOON_MS;
        assertThat(fire()).containsExactly(1L);
    }

    @Test
    void whatComesWhileTheStoreIsScannedIsNotForgotten() {
        waits(wallMs + 100, 1);
        Scan scan = begin();
        Scanned scanned = scanned(scan);
        waits(wallMs + 50, 2);
        waits(wallMs + TimerHorizon.AHEAD_MS + 5_000, 3);
        window.endScan(scanned);
        wallMs += 100;
        assertThat(fire()).containsExactly(2L, 1L);
        wallMs += TimerHorizon.AHEAD_MS;
        load();
        wallMs += 5_000;
        assertThat(fire()).containsExactly(3L);
    }

    @Test
    void whatIsDeliveredWhileTheStoreIsScannedDoesNotComeAgain() {
        waits(wallMs - 1, 1);
        Scan scan = begin();
        Scanned scanned = scanned(scan);
        window.added(new WaitingMessage(wallMs - 1, 1, 500, SIZE_BYTES, 0)); // a copy of it is applied
        assertThat(fire()).containsExactly(1L);
        window.endScan(scanned);
        assertThat(fire()).isEmpty();
    }

    @Test
    void moreThanFitAreLoadedInTurns() {
        for (int i = 0; i < 35; i++) {
            waits(wallMs - 1, i);
        }
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Scan scan = window.beginScan(wallMs);
            if (scan != null) {
                window.endScan(scanned(scan));
            }
            assertThat(window.loaded()).isLessThanOrEqualTo(10);
            all.addAll(fire());
        }
        assertThat(all).hasSize(35).isSorted();
    }

    @Test
    void moreThanFitThatComeByThemselvesGoBackToTheStore() {
        window.unknownStore();
        load();
        for (int i = 0; i < 45; i++) {
            waits(wallMs + 1_000 + i, i);
            assertThat(window.loaded()).isLessThanOrEqualTo(20);
        }
        wallMs += 2_000;
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.addAll(fire());
            Scan scan = window.beginScan(wallMs);
            if (scan != null) {
                window.endScan(scanned(scan));
            }
        }
        assertThat(all).hasSize(45).doesNotHaveDuplicates();
    }

    @Test
    void aClaimedMessageIsNotGivenTwiceAndAFailedOneComesAgainInItsTime() {
        waits(wallMs - 1, 1);
        load();
        WaitingMessage first = Objects.requireNonNull(window.next(wallMs, 0));
        assertThat(window.isClaimed(1)).isTrue();
        assertThat(window.next(wallMs, 0)).isNull();
        window.failed(first, 1_000);
        assertThat(window.isClaimed(1)).isFalse();
        assertThat(window.next(wallMs, 999)).isNull();
        assertThat(window.nextRetryMs()).isEqualTo(1_000);
        assertThat(window.next(wallMs, 1_000)).isSameAs(first);
        window.closed(1);
        assertThat(window.firing()).isZero();
        window.failed(first, 2_000); // told late
        assertThat(window.next(wallMs, 3_000)).isNull();
    }

    @Test
    void aFailedMessageThatIsCarriedIsNotDeliveredMeanwhileAndFiresAfterwards() {
        waits(wallMs - 1, 1);
        load();
        window.failed(Objects.requireNonNull(window.next(wallMs, 0)), 1_000);
        window.carry(new WaitingMessage(wallMs - 1, 1, 1, SIZE_BYTES, 0));
        assertThat(window.isClaimed(1)).isTrue();
        assertThat(window.nextRetryMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(window.next(wallMs, 1_000)).isNull();
        window.added(new WaitingMessage(wallMs - 1, 1, 700, SIZE_BYTES, 0));
        WaitingMessage again = Objects.requireNonNull(window.next(wallMs, 1_000));
        assertThat(again.offset()).isEqualTo(700);
        assertThat(window.firing()).isOne();
    }

    private WaitingMessage at(long dueMs, long birth) {
        return new WaitingMessage(dueMs, birth, birth, SIZE_BYTES, 1);
    }

    @Test
    void aRecallClaimsWhatIsNotDueWhetherItIsLoadedOrNot() {
        waits(wallMs + 500, 1);
        waits(wallMs + 7_200_000, 2);
        load();
        WaitingMessage near = at(wallMs + 500, 1);
        WaitingMessage far = at(wallMs + 7_200_000, 2);
        assertThat(window.recallable(near, wallMs)).isEqualTo(TimerWindow.Recall.FREE);
        assertThat(window.recallable(far, wallMs)).isEqualTo(TimerWindow.Recall.FREE);
        window.recall(near);
        window.recall(far);
        assertThat(window.isClaimed(1)).isTrue();
        assertThat(window.recallable(at(wallMs + 500, 1), wallMs)).isEqualTo(TimerWindow.Recall.BUSY);
        wallMs += 7_200_000;
        load();
        assertThat(fire()).isEmpty();
        window.letGo(near);
        window.closed(2);
        assertThat(fire()).containsExactly(1L);
    }

    @Test
    void whatIsDueOrOnItsWayIsTooLateToRecallAndWhatIsCarriedIsBusy() {
        waits(wallMs + 500, 1);
        waits(wallMs + 600, 2);
        load();
        assertThat(window.recallable(at(wallMs + 500, 1), wallMs + 500)).isEqualTo(TimerWindow.Recall.TOO_LATE);
        Objects.requireNonNull(window.next(wallMs + 500, 0));
        assertThat(window.recallable(at(wallMs + 500, 1), wallMs)).isEqualTo(TimerWindow.Recall.TOO_LATE);
        window.carry(at(wallMs + 600, 2));
        assertThat(window.recallable(at(wallMs + 600, 2), wallMs)).isEqualTo(TimerWindow.Recall.BUSY);
    }

    @Test
    void aRecallTakesTheMessageWhereItLiesNow() {
        waits(wallMs + 500, 1);
        load();
        window.added(new WaitingMessage(wallMs + 500, 1, 700, SIZE_BYTES, 1));
        WaitingMessage found = at(wallMs + 500, 1);
        window.recall(found);
        assertThat(found.ref().offset()).isEqualTo(700);
        window.letGo(found);
        assertThat(Objects.requireNonNull(window.next(wallMs + 500, 0)).offset())
                .isEqualTo(700);
    }

    @Test
    void whatIsClosedOrCopiedWhileRecallsAreLookedForIsTold() {
        waits(wallMs + 500, 1);
        waits(wallMs + 500, 2);
        load();
        window.closed(1);
        window.beginLookup();
        window.closed(2);
        window.added(new WaitingMessage(wallMs + 7_200_000, 3, 700, SIZE_BYTES, 1));
        window.added(at(wallMs + 500, 4));
        assertThat(window.changedInLookup(1)).isFalse();
        assertThat(window.changedInLookup(2)).isTrue();
        assertThat(window.changedInLookup(3)).as("far from due").isTrue();
        assertThat(window.changedInLookup(4)).isFalse();
        window.endLookup();
        window.beginLookup();
        assertThat(window.changedInLookup(2)).isFalse();
    }

    @Test
    void whatFailsKeepsOthersFromBeingLoadedAndTried() {
        for (int i = 0; i < 35; i++) {
            waits(wallMs - 1, i);
        }
        load();
        for (int i = 0; i < 8; i++) {
            window.failed(Objects.requireNonNull(window.next(wallMs, 0)), 1_000);
        }
        window.pause(1_000);
        assertThat(window.next(wallMs, 999)).isNull();
        assertThat(window.beginScan(wallMs)).isNull();
        assertThat(window.nextRetryMs()).isEqualTo(1_000);
        List<Long> all = new ArrayList<>();
        wallMs += 1_000;
        for (int i = 0; i < 10; i++) {
            all.addAll(fire());
            Scan scan = window.beginScan(wallMs);
            if (scan != null) {
                window.endScan(scanned(scan));
            }
        }
        assertThat(all).hasSize(35).doesNotHaveDuplicates();
    }

    @Test
    void onlySoManyAreOnTheirWay() {
        TimerWindow wide = new TimerWindow(10_000);
        wide.unknownStore();
        wide.endScan(new Scanned(
                List.of(), Objects.requireNonNull(wide.beginScan(wallMs)).to(), Long.MAX_VALUE));
        for (int i = 0; i < TimerWindow.MAX_FIRING + 5; i++) {
            wide.added(new WaitingMessage(wallMs - 1, i, i, SIZE_BYTES, 0));
        }
        int fired = 0;
        while (wide.next(wallMs, 0) != null) {
            fired++;
        }
        assertThat(fired).isEqualTo(TimerWindow.MAX_FIRING);
        assertThat(wide.nextDueMs()).as("an ending wakes").isEqualTo(Long.MAX_VALUE);
        wide.closed(0);
        assertThat(wide.next(wallMs, 0)).isNotNull();
    }

    @Test
    void aScanThatFailedIsMadeAgain() {
        waits(wallMs - 1, 1);
        window.scanFailed(begin());
        load();
        assertThat(fire()).containsExactly(1L);
    }
}
