package dev.perigee.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.check.Refusal;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicAttributesTest {
    private static Refusal refusal(TopicAttributes.Outcome outcome) {
        return Objects.requireNonNull(outcome.refusal(), "accepted: " + outcome.attributes());
    }

    @Test
    void addsAndRemoves() {
        assertThat(TopicAttributes.change(Map.of("reserve.time", "5"), "+message.type=FIFO,-reserve.time")
                        .attributes())
                .isEqualTo(Map.of("message.type", "FIFO"));
    }

    @Test
    void whatIsNotNamedStays() {
        assertThat(TopicAttributes.change(Map.of("message.type", "FIFO"), "").attributes())
                .isEqualTo(Map.of("message.type", "FIFO"));
        assertThat(TopicAttributes.change(Map.of("message.type", "FIFO"), Map.of("+reserve.time", "-1"))
                        .attributes())
                .isEqualTo(Map.of("message.type", "FIFO", "reserve.time", "-1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "+colour=red; 1; 'colour'",
                "-colour; 1; 'colour'",
                "+queue.type=BatchCQ; 1; queue.type=BatchCQ is not accepted: wanted SimpleCQ",
                "+cleanup.policy=COMPACTION; 1; cleanup.policy=COMPACTION is not accepted: wanted DELETE",
                "+message.type=fifo; 1; message.type=fifo is not accepted: wanted UNSPECIFIED, NORMAL, FIFO",
                "+message.type=; 1; message.type= is not accepted",
                "+message.type=MIXED; 29; message.type=MIXED is not accepted",
                "+reserve.time=soon; 1; reserve.time=soon is not accepted: wanted a whole number",
                "+reserve.time=-2; 1; reserve.time=-2",
                "+message.type; 1; +key=value nor -key",
                "message.type=FIFO; 1; +key=value nor -key",
                "-message.type=FIFO; 1; +key=value nor -key",
                "+; 1; +key=value nor -key",
                "+message.type=FIFO,-message.type; 1; changed twice"
            })
    void aBadChangeIsRefusedWithFieldValueAndWhatIsAccepted(String text, int code, String words) {
        Refusal refusal = refusal(TopicAttributes.change(Map.of(), text));
        assertThat(refusal.code()).as(refusal.remark()).isEqualTo(code);
        assertThat(refusal.remark()).contains(words);
    }

    @ParameterizedTest
    @CsvSource({"+message.type", "message.type"})
    void mapsWithAndWithoutSignsAreReadAlike(String key) {
        assertThat(TopicAttributes.change(Map.of(), Map.of(key, "FIFO")).attributes())
                .isEqualTo(Map.of("message.type", "FIFO"));
        assertThat(refusal(TopicAttributes.change(Map.of(), Map.of(key, "red"))).remark())
                .contains("message.type=red is not accepted");
    }
}
