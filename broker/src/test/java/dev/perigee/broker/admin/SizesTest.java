package dev.perigee.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "1331, 1.3 KiB",
        "1048576, 1.0 MiB",
        "107374182400, 100.0 GiB",
        "9223372036854775807, 8.0 EiB"
    })
    void bytesAreShownInTheUnitThatFits(long bytes, String text) {
        assertThat(Sizes.text(bytes)).isEqualTo(text);
    }
}
