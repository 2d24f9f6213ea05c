package dev.perigee.store.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.LogHead;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a head may say that its epoch began. */
final class EpochFoldTest {
    private static final Epoch FIRST = new Epoch(1, 0x11, 0);

    private static EpochFold headAt4096(long epochStart) {
        EpochFold fold = new EpochFold(EpochTable.of(List.of(FIRST)));
        fold.head(4096, 2, 4000, new LogHead("7", 2, "22", epochStart, List.of(), 4096, null, null, null));
        return fold;
    }

    private static void assertBegins(long epochStart) {
        EpochFold fold = headAt4096(epochStart);
        assertThat(fold.objection()).isEmpty();
        assertThat(fold.table().epochs()).containsExactly(FIRST, new Epoch(2, 0x22, epochStart));
    }

    @Test
    void anEpochBeginsWithItsHead() {
        assertBegins(4096);
    }

    @Test
    void anOlderLogMayHaveAnEpochThatBeginsWithTheBlankBeforeItsHead() {
        assertBegins(4000);
    }

    @Test
    void anEpochThatWouldBeginBeforeTheLastFrameEndsOrBehindItsHeadIsObjectedToAndEqualsNoOther() {
        for (long start : new long[] {3999, 4097}) {
            EpochFold fold = headAt4096(start);
            assertThat(fold.objection()).isPresent();
            assertThat(fold.table().epochs()).containsExactly(FIRST, new Epoch(2, 0, 4096));
        }
    }
}
