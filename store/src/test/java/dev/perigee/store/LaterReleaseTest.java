package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.Fact.UnknownFact;
import dev.perigee.protocol.fact.FeatureLevel;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.store.recovery.LaterReleaseException;
import dev.perigee.store.recovery.LogCut;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** R22: nobody goes on with a log that has what a later release decided and this one must not pass over. */
class LaterReleaseTest {
    /** More than the checkpoint's interval. */
    private static final long CHECKPOINT_MS = 61_000;

    private final SteppedStore world = new SteppedStore(12);

    /** The fact is written and flushed; the views do not come to it any more. Returns where it stands. */
    private long writeLast(Fact fact) throws IOException {
        Store store = world.open();
        world.send(store.newAppender(), 10);
        world.run(store, CHECKPOINT_MS);
        long at = store.log().endOffset();
        store.facts().append(fact, (result, end) -> {});
        while (store.log().endOffset() == at) {
            world.stepLog(store);
        }
        world.disk.kill();
        return at;
    }

    static Stream<Arguments> facts() {
        return Stream.of(
                Arguments.of(new UnknownFact("POP_TAKEN", true, "{}"), "kind 'POP_TAKEN' that must be understood"),
                Arguments.of(new FeatureLevel(2), "kind 'FEATURE_LEVEL' from which on facts of level 2 are written"),
                Arguments.of(
                        new LogHead("7", 1, "1", 0, List.of(), 65_536, null, 3, null),
                        "kind 'LOG_HEAD' that tells of facts of level 3"));
    }

    @ParameterizedTest
    @MethodSource("facts")
    void aStartNamesTheFactItDoesNotUnderstandItsOffsetAndItsOwnLevel(Fact fact, String named) throws Exception {
        long at = writeLast(fact);
        for (int i = 0; i < 2; i++) { // nothing was changed
            assertThatThrownBy(world::open)
                    .isInstanceOf(LaterReleaseException.class)
                    .hasMessageContaining("offset " + at + " a fact of " + named)
                    .hasMessageContaining("this release knows facts up to level 1");
        }
    }

    @Test
    void aLogThatIsCutThereStarts() throws Exception {
        long at = writeLast(new UnknownFact("POP_TAKEN", true, "{}"));
        LogCut.run(world.disk, at, SteppedStore.SEGMENT_BYTES);
        try (Store store = world.open()) {
            assertThat(store.log().startOffset()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("known")
    void whatMayBePassedOverAndLevelsThatAreKnownHoldUpNobody(Fact fact) throws Exception {
        writeLast(fact);
        try (Store store = world.open()) {
            world.run(store, 1_000);
            assertThat(store.viewLoop().appliedOffset()).isEqualTo(store.log().endOffset());
            assertThat(world.faults).isEmpty();
        }
    }

    static Stream<Fact> known() {
        return Stream.of(new UnknownFact("HINT", false, "{}"), new FeatureLevel(1));
    }

    /** A view that is made anew reads what a start does not look at. */
    @Test
    void aViewDoesNotPassOverOneEither() throws Exception {
        Store store = world.open();
        store.facts().append(new UnknownFact("POP_TAKEN", true, "{}"), (result, end) -> {});
        assertThatThrownBy(() -> world.run(store, 1_000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("kind 'POP_TAKEN' that must be understood");
    }
}
