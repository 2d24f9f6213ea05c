package dev.perigee.store.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class EpochTableTest {
    private static final Epoch FIRST = new Epoch(1, 11, 0);
    private static final Epoch SECOND = new Epoch(2, 22, 100);
    private static final Epoch FOURTH = new Epoch(4, 44, 300);
    private static final EpochTable TABLE = EpochTable.of(List.of(FIRST, SECOND, FOURTH));

    @Test
    void epochsAreEqualWhenNumberIdAndStartAre() {
        assertThat(FIRST).isEqualTo(new Epoch(1, 11, 0)).hasSameHashCodeAs(new Epoch(1, 11, 0));
        assertThat(FIRST)
                .isNotEqualTo(new Epoch(2, 11, 0))
                .isNotEqualTo(new Epoch(1, 12, 0))
                .isNotEqualTo(new Epoch(1, 11, 1));
    }

    @Test
    void aByteBelongsToTheEpochThatBeganLastBeforeIt() {
        assertThat(TABLE.at(0)).contains(FIRST);
        assertThat(TABLE.at(99)).contains(FIRST);
        assertThat(TABLE.at(100)).contains(SECOND);
        assertThat(TABLE.at(300)).contains(FOURTH);
        assertThat(TABLE.at(1 << 30)).contains(FOURTH);
        assertThat(EpochTable.of(List.of(SECOND)).at(99)).isEmpty();
        assertThat(EpochTable.EMPTY.at(0)).isEmpty();
    }

    @Test
    void anEpochEndsWhereTheNextBeginsOrTheLogEnds() {
        assertThat(TABLE.endOf(FIRST, 400)).isEqualTo(100);
        assertThat(TABLE.endOf(SECOND, 400)).isEqualTo(300);
        assertThat(TABLE.endOf(FOURTH, 400)).isEqualTo(400);
        Epoch other = new Epoch(4, 45, 300);
        assertThatThrownBy(() -> TABLE.endOf(other, 400))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(other.toString());
    }

    @Test
    void theLargestEpochUpToANumberIsFound() {
        assertThat(TABLE.atMost(0)).isEmpty();
        assertThat(TABLE.atMost(3)).contains(SECOND);
        assertThat(TABLE.atMost(4)).contains(FOURTH);
        assertThat(TABLE.atMost(Integer.MAX_VALUE)).contains(FOURTH);
    }

    @Test
    void aCutTakesEpochsWithoutBytesAway() { // R25
        assertThat(TABLE.cutTo(301)).isEqualTo(TABLE);
        assertThat(TABLE.cutTo(300).epochs()).containsExactly(FIRST, SECOND);
        assertThat(TABLE.cutTo(1).epochs()).containsExactly(FIRST);
        assertThat(TABLE.cutTo(0)).isEqualTo(EpochTable.EMPTY);
    }

    @Test
    void aTrimmedLogKeepsTheTrueStartOfTheEpochOfItsFirstByte() { // R9
        assertThat(TABLE.trimTo(0)).isEqualTo(TABLE);
        assertThat(TABLE.trimTo(99)).isEqualTo(TABLE);
        assertThat(TABLE.trimTo(100).epochs()).containsExactly(SECOND, FOURTH);
        assertThat(TABLE.trimTo(299).epochs()).containsExactly(SECOND, FOURTH);
        assertThat(TABLE.trimTo(9_000).epochs()).containsExactly(FOURTH);
    }

    @Test
    void epochsThatDoNotRiseAreRefused() {
        for (Epoch wrong : List.of(new Epoch(4, 1, 500), new Epoch(3, 1, 500), new Epoch(5, 1, 300))) {
            assertThatThrownBy(() -> TABLE.add(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong.toString());
        }
        assertThat(TABLE.add(new Epoch(5, 1, 301)).epochs()).hasSize(4);
        assertThatThrownBy(() -> EpochTable.of(List.of(SECOND, FIRST))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void equalNumbersWithDifferentIdsAreDifferentEpochs() { // R9
        assertThat(FIRST.isSameAs(new Epoch(1, 11, 0))).isTrue();
        assertThat(FIRST.isSameAs(new Epoch(1, 12, 0))).isFalse();
        Epoch unknown = new Epoch(1, 0, 0);
        assertThat(unknown.isSameAs(unknown)).as("of unknown id").isFalse();
    }

    @Test
    void aTableSaysOfEveryByteWhatItsStampSays() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<Epoch> stamps = new ArrayList<>();
            EpochTable table = EpochTable.EMPTY;
            int number = 0;
            for (int i = 0; i < random.nextInt(12); i++) {
                number += 1 + random.nextInt(3);
                Epoch epoch = new Epoch(number, random.nextLong(), stamps.size());
                table = table.add(epoch);
                for (int size = 1 + random.nextInt(9); size > 0; size--) {
                    stamps.add(epoch);
                }
                int cut = random.nextInt(3) == 0 ? random.nextInt(stamps.size() + 1) : stamps.size();
                table = table.cutTo(cut);
                stamps.subList(cut, stamps.size()).clear();
            }
            int start = random.nextInt(stamps.size() + 1);
            EpochTable trimmed = table.trimTo(start);
            for (int at = start; at < stamps.size(); at++) {
                Epoch stamp = stamps.get(at);
                assertThat(trimmed.at(at)).as("seed %d offset %d", seed, at).isEqualTo(Optional.of(stamp));
                assertThat(trimmed.endOf(stamp, stamps.size()))
                        .as("seed %d offset %d", seed, at)
                        .isEqualTo(stamps.lastIndexOf(stamp) + 1);
            }
        }
    }
}
