package dev.perigee.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.carry.ViewWorld;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.kv.MemoryViewStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Files of the log were taken away by hand, with halves in them that were undecided. */
class HalvesOfACutLogTest {
    private static final long ACCEPTED_MS = 3_000;

    private final ViewWorld world = new ViewWorld();
    private final TransactionView view = new TransactionView(new MemoryViewStores(), () -> ClockNote.NONE);
    private long fed;
    private int halves;

    private Half begins(long nextCheckMs) {
        long birth = world.log.append(
                world.log.next(SystemTopic.HALF, 0).property("__HALF#", nextCheckMs + ",t" + ACCEPTED_MS));
        return new Half(birth, birth, (int) (world.log.end() - birth), halves++, nextCheckMs, 0, ACCEPTED_MS, 0);
    }

    private Half copied(Half half) {
        long at = world.log.append(world.log
                .next(SystemTopic.HALF, 0)
                .property(
                        "__HALF#",
                        half.nextCheckMs() + ":" + half.birth() + ":" + half.offset() + ":" + half.queueOffset() + ":"
                                + half.checks() + ":" + half.acceptedMs()));
        halves++;
        return new Half(
                half.birth(),
                at,
                (int) (world.log.end() - at),
                half.queueOffset(),
                half.nextCheckMs(),
                half.checks(),
                half.acceptedMs(),
                half.askedMs());
    }

    private void checked(Half half, long nextCheckMs) {
        HalfRef ref = half.ref();
        world.log.append(new HalvesChecked(List.of(ref), nextCheckMs, true, 4_000));
    }

    private void feed() {
        fed = world.feed(view, fed);
    }

    /** Applies the rest of the log, which is cut before that pass has ended: so the loop does it. */
    private void feedAndCut(long startOffset) {
        long to = world.apply(view, fed);
        view.trimmed(startOffset);
        world.endPass(view, to);
        fed = to;
    }

    private List<Half> undecided() throws IOException {
        List<Half> found = new ArrayList<>();
        Objects.requireNonNull(view.store())
                .scan(HalfKeys.birth(0), HalfKeys.birthEnd(), (key, value) -> found.add(HalfKeys.half(value)));
        return found;
    }

    @Test
    void whatLiesBelowIsForgotten() throws IOException {
        begins(5_000);
        Half second = begins(6_000);
        feed();
        view.trimmed(second.birth());
        view.passEnded();
        assertThat(undecided()).containsExactly(second);
    }

    @Test
    void oneThatIsCheckedInThePassOfTheCutIsForgottenAsItIsNow() throws IOException {
        Half half = begins(5_000);
        Half kept = begins(6_000);
        feed();
        checked(half, 35_000);
        feedAndCut(kept.offset());
        assertThat(undecided()).containsExactly(kept);
        assertThat(view.fingerprint()).startsWith("1 undecided, 1 checks, 1 places");
    }

    @Test
    void oneThatComesInThePassOfTheCutIsForgottenAsItIsNow() throws IOException {
        begins(5_000);
        Half checked = begins(5_500);
        Half kept = begins(6_000);
        checked(checked, 35_000);
        feedAndCut(kept.offset());
        assertThat(undecided()).containsExactly(kept);
        assertThat(view.fingerprint()).startsWith("1 undecided, 1 checks, 1 places");
        assertThat(view.firstLiveOffset()).isEqualTo(kept.offset());
        assertThat(view.window().nextCheckMs())
                .as("no later than that of the one that is left")
                .isLessThan(6_001);
    }

    @Test
    void oneThatComesAndIsCopiedInThePassOfTheCutIsStillThere() throws IOException {
        Half half = begins(5_000);
        Half kept = begins(6_000);
        Half copy = copied(half);
        feedAndCut(kept.offset());
        assertThat(undecided()).containsExactlyInAnyOrder(copy, kept);
        assertThat(view.fingerprint()).startsWith("2 undecided, 2 checks, 2 places");
    }

    @Test
    void thatNothingWasGatheredForTheCutDoesNotHideWhatComesInItsPass() throws IOException {
        begins(5_000);
        Half kept = begins(6_000);
        ViewWorld.finish(view.lookAhead(kept.offset()));
        feedAndCut(kept.offset());
        assertThat(undecided()).containsExactly(kept);
    }
}
