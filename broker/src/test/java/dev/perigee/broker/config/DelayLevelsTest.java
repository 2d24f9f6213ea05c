package dev.perigee.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelayLevelsTest {
    @Test
    void theDefaultHasEighteenLevelsUpToTwoHours() {
        DelayLevels levels = Objects.requireNonNull(DelayLevels.parse(DelayLevels.DEFAULT_TEXT));
        assertThat(levels.count()).isEqualTo(18);
        assertThat(levels.delayMs(1)).isEqualTo(1_000);
        assertThat(levels.delayMs(3)).isEqualTo(10_000);
        assertThat(levels.delayMs(18)).isEqualTo(7_200_000);
        assertThat(levels.clamp(Integer.MAX_VALUE)).isEqualTo(18);
        assertThat(levels).hasToString(DelayLevels.DEFAULT_TEXT);
    }

    @Test
    void allUnitsAreReadAndBlanksDoNotMatter() {
        DelayLevels levels = Objects.requireNonNull(DelayLevels.parse("  2s\t3m  4h 40d "));
        assertThat(levels).hasToString("2s 3m 4h 40d");
        assertThat(levels.delayMs(4)).isEqualTo(40L * 24 * 3_600_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "1", "s", "0s", "-1s", "1x", "1.5s", "41d", "1s,5s", "99999999999s", "1s 5s 0m"})
    void whatIsNoListOfDelaysIsRefused(String text) {
        assertThat(DelayLevels.parse(text)).isNull();
    }

    @Test
    void moreThanSixtyFourLevelsAreRefused() {
        assertThat(DelayLevels.parse("1s ".repeat(64))).isNotNull();
        assertThat(DelayLevels.parse("1s ".repeat(65))).isNull();
    }
}
