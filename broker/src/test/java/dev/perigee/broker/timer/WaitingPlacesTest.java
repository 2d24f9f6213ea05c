package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.carry.ViewWorld;
import dev.perigee.broker.carry.ViewWorld.Carried;
import dev.perigee.broker.carry.ViewWorld.Carrying;
import dev.perigee.broker.carry.WatchedStores;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where waiting messages lie in the log, and their copies when the log is to be trimmed there. */
class WaitingPlacesTest {
    private final WaitingLog all = new WaitingLog();

    @Test
    void aCopyTakesThePlaceOfItsFrameAndKeepsItsBirth() {
        long birth = all.waits(5_000);
        all.feed();
        long copy = all.copied(5_000, birth, birth);
        long copyOfCopy = all.copied(5_000, birth, copy);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(copyOfCopy);
        all.delivered(5_000, birth, copyOfCopy);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsCarriedIsClaimedUntilTheCopyIsAppliedOrFailed() {
        long first = all.waits(7_200_000);
        long second = all.waits(5_000);
        long third = all.waits(6_000);
        all.feed();
        Carrying round = new Carrying();
        all.view.carryForward(third, round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(first, second);
        assertThat(all.view.window().isClaimed(first)).isTrue();
        assertThat(all.view.window().isClaimed(third)).isFalse();
        Carrying again = new Carrying();
        all.view.carryForward(third, again);
        assertThat(again.frames).isEmpty();

        round.frames.get(1).copy().failed();
        all.view.carryForward(third, again);
        assertThat(again.frames).extracting(Carried::offset).containsExactly(second);

        append(round.frames.get(0));
        all.feed();
        assertThat(all.view.window().isClaimed(first)).isFalse();
        assertThat(all.view.firstLiveOffset()).isEqualTo(second);
        append(again.frames.get(0));
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(third);
    }

    /** Appends a copy as retention would: with the mark it was given. */
    private void append(Carried carried) {
        assertThat(all.copyOf(carried).topic()).isEqualTo(SystemTopic.SCHEDULE);
        all.world.append(carried, "__TIMER#");
    }

    @Test
    void aCarriedMessageKeepsItsSizeWithoutALookForIt() {
        long birth = all.waits(5_000);
        TimerView walked = new TimerView(WatchedStores.walkedOnly());
        all.feed(walked, 0);
        assertThat(walked.window().beginScan(0))
                .as("so that it is held in memory")
                .isNotNull();
        Carrying round = new Carrying();
        walked.carryForward(all.log.end(), round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(birth);
        round.frames.get(0).copy().failed();
        WaitingMessage next = Objects.requireNonNull(walked.window().next(5_000, 0));
        assertThat(next.birth).isEqualTo(birth);
        assertThat(next.sizeBytes()).isEqualTo((int) (all.log.end() - birth));
    }

    @Test
    void whatWasGatheredAheadIsCarriedWithoutAnotherWalkOverTheStore() throws IOException {
        WatchedStores only = WatchedStores.walkedOnly();
        all.view = new TimerView(only);
        long first = all.waits(7_200_000);
        long second = all.waits(5_000);
        long third = all.waits(6_000);
        long fourth = all.waits(6_000);
        all.feed();
        ViewWorld.finish(all.view.lookAhead(fourth));
        only.shut = true;
        all.delivered(5_000, second, second);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(first);
        Carrying round = new Carrying();
        all.view.carryForward(fourth, round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(first, third);
        append(round.frames.get(0));
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(third);
        round.frames.get(1).copy().failed();
        Carrying again = new Carrying();
        all.view.carryForward(fourth, again);
        assertThat(again.frames).extracting(Carried::offset).containsExactly(third);
        append(again.frames.get(0));
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(fourth);
    }

    @Test
    void whereTooMuchLeftMeanwhileItIsGatheredAnewAndTheStoreIsNotWalkedOver() throws IOException {
        WatchedStores only = WatchedStores.walkedOnly();
        all.view = new TimerView(only, new TimerWindow(), 2);
        List<Long> births = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            births.add(all.waits(5_000));
        }
        long cut = all.log.end();
        for (int i = 0; i < 5; i++) {
            births.add(all.waits(5_000));
        }
        all.feed();
        ViewWorld.finish(all.view.lookAhead(cut));
        only.shut = true;
        births.subList(5, 10).forEach(birth -> all.delivered(5_000, birth, birth));
        births.subList(0, 2).forEach(birth -> all.delivered(5_000, birth, birth));
        all.feed();
        assertThat(all.view.firstLiveOffset())
                .as("two below the cut are remembered, and none above it")
                .isEqualTo(births.get(2));
        all.delivered(5_000, births.get(2), births.get(2));
        all.feed();
        assertThat(all.view.firstLiveOffset()).as("no further than was known").isEqualTo(births.get(2));
        Carrying round = new Carrying();
        all.view.carryForward(cut, round);
        assertThat(round.frames).isEmpty();
        only.shut = false;
        ViewWorld.finish(all.view.lookAhead(cut));
        only.shut = true;
        assertThat(all.view.firstLiveOffset()).isEqualTo(births.get(3));
        all.view.carryForward(cut, round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(births.get(3), births.get(4));
    }

    @Test
    void whatIsDeliveredWhileItIsGatheredIsNotCarried() throws IOException {
        long first = all.waits(5_000);
        long second = all.waits(6_000);
        all.feed();
        PacedTask gathering = all.view.lookAhead(all.log.end());
        all.delivered(5_000, first, first);
        all.feed();
        ViewWorld.finish(gathering);
        all.delivered(6_000, second, second);
        all.feed();
        Carrying round = new Carrying();
        all.view.carryForward(all.log.end(), round);
        assertThat(round.frames).isEmpty();
    }

    @Test
    void moreThanOneRoundTakesIsCarriedInTurns() throws IOException {
        int count = WaitingPlaces.MAX_CARRIED + 88;
        for (int i = 0; i < count; i++) {
            all.waits(5_000_000 + i);
        }
        long below = all.log.end();
        all.feed();
        ViewWorld.finish(all.view.lookAhead(below));
        Carrying round = new Carrying();
        all.view.carryForward(below, round);
        assertThat(round.frames).hasSize(WaitingPlaces.MAX_CARRIED);
        all.view.carryForward(below, round);
        assertThat(round.frames).hasSize(count);
        round.frames.forEach(this::append);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isGreaterThanOrEqualTo(below);
        assertThat(all.view.fingerprint())
                .startsWith(count + " waiting")
                .isEqualTo(all.rebuilt().fingerprint());
    }

    @Test
    void aFrameThatIsLostIsClosedByName() {
        long birth = all.waits(5_000);
        long copy = all.copied(5_000, birth, birth);
        all.feed();
        Carrying round = new Carrying();
        all.view.carryForward(all.log.end(), round);
        Fact closing = round.frames.get(0).copy().lost();
        assertThat(closing)
                .isEqualTo(TimerClosed.lost(List.of(new TimerRef(5_000, birth, copy, 0)), "its frame is damaged"));
        assertThat(all.view.window().isClaimed(birth))
                .as("until that is applied")
                .isTrue();
        all.log.append(closing);
        all.feed();
        assertThat(all.view.window().isClaimed(birth)).isFalse();
        assertThat(all.view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aWalkDoesNotBeginBelowWhatIsStillThere() throws IOException {
        long first = all.waits(5_000);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(first);
        all.delivered(5_000, first, first);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        long second = all.waits(6_000);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(second);
        byte[] checkpoint = all.checkpoint();
        all.stores.crash(new Random(0));
        TimerView restored = all.restored(checkpoint);
        assertThat(restored.firstLiveOffset()).isEqualTo(second);
    }

    @Test
    void whatLiesBelowALogCutByHandIsForgotten() {
        all.waits(5_000);
        long second = all.waits(6_000);
        all.feed();
        all.view.trimmed(second);
        all.view.passEnded();
        assertThat(all.view.firstLiveOffset()).isEqualTo(second);
    }

    @Test
    void aMessageThatComesInThePassOfACutByHandIsForgotten() {
        all.waits(5_000);
        long second = all.waits(6_000);
        long end = all.world.apply(all.view, 0);
        all.view.trimmed(second);
        all.world.endPass(all.view, end);
        assertThat(all.view.fingerprint()).startsWith("1 waiting");
        assertThat(all.view.firstLiveOffset()).isEqualTo(second);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCopyThatIsFoldedInWithTheTrimThatItWasMadeForStillWaits(boolean afterARestart) throws IOException {
        long birth = all.waits(5_000);
        all.feed();
        if (afterARestart) {
            byte[] checkpoint = all.checkpoint();
            all.stores.crash(new Random(0));
            all.view = all.restored(checkpoint);
        }
        long copy = all.copied(5_000, birth, birth);
        long end = all.world.apply(all.view, all.fed);
        all.view.trimmed(copy);
        all.world.endPass(all.view, end);
        assertThat(all.view.fingerprint()).startsWith("1 waiting");
        assertThat(all.view.firstLiveOffset()).isEqualTo(copy);
    }
}
