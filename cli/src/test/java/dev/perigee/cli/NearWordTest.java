package dev.perigee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearWordTest {
    private static final List<String> WORDS = List.of("send", "consume", "topic", "group", "message", "log", "tx");

    @Test
    void lettersSwappedLeftOutPutInOrChangedAreSlips() {
        assertThat(NearWord.slips("sned", "send")).isEqualTo(1);
        assertThat(NearWord.slips("snd", "send")).isEqualTo(1);
        assertThat(NearWord.slips("sendd", "send")).isEqualTo(1);
        assertThat(NearWord.slips("sand", "send")).isEqualTo(1);
        assertThat(NearWord.slips("send", "send")).isZero();
        assertThat(NearWord.slips("", "send")).isEqualTo(4);
    }

    @Test
    void theNearestWordIsFoundAndAFarOneIsNot() {
        assertThat(NearWord.of("sned", WORDS)).contains("send");
        assertThat(NearWord.of("consmue", WORDS)).contains("consume");
        assertThat(NearWord.of("mesages", WORDS)).contains("message");
        assertThat(NearWord.of("publish", WORDS)).isEmpty();
    }
}
