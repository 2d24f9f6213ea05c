package dev.perigee.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicAttributesTest {
    @Test
    void addsAndRemoves() {
        assertThat(TopicAttributes.change(Map.of("reserve.time", "5"), "+message.type=FIFO,-reserve.time"))
                .isEqualTo(Map.of("message.type", "FIFO"));
    }

    @Test
    void unknownKeysAndUnbuiltValuesAreRefusedByName() {
        assertThatThrownBy(() -> TopicAttributes.change(Map.of(), "+colour=red"))
                .hasMessageContaining("colour");
        assertThatThrownBy(() -> TopicAttributes.change(Map.of(), "+queue.type=BatchCQ"))
                .hasMessageContaining("BatchCQ")
                .hasMessageContaining("SimpleCQ");
        assertThatThrownBy(() -> TopicAttributes.change(Map.of(), "+message.type"))
                .hasMessageContaining("+key=value");
    }
}
