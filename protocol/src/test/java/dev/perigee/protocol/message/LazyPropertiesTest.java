package dev.perigee.protocol.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.property.PropertyText;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LazyPropertiesTest {
    private static Message stored(String text) {
        return new Message("T", new byte[] {1}, 7, PropertyText.of(text));
    }

    @Test
    void storedPropertiesAreTheSameWhicheverWayTheyAreAskedFor() {
        String text = "TAGS\u0001a\u0002KEYS\u0001k1 k2\u0002é\u0001ü\u0002TAGS\u0001b\u0002";
        Message first = stored(text);
        assertThat(first.tag())
                .as("before they are decoded, the last one counts")
                .isEqualTo("b");
        assertThat(first.keys()).containsExactly("k1", "k2");
        assertThat(first.property("é")).isEqualTo("ü");
        assertThat(first.properties()).isEqualTo(Map.of("TAGS", "b", "KEYS", "k1 k2", "é", "ü"));
        assertThat(first.tag()).isEqualTo("b");
        assertThat(stored("").properties()).isEmpty();
        assertThat(stored("").uniqueId()).isNull();
    }

    @Test
    void copiesKeepThePropertiesDecodedOrNot() {
        Message message = stored("TAGS\u0001a\u0002");
        Message renamed = message.withTopic("other").withBody("b".getBytes(StandardCharsets.UTF_8));
        assertThat(renamed.properties()).isEqualTo(Map.of("TAGS", "a"));
        assertThat(message.properties()).isEqualTo(Map.of("TAGS", "a"));
        assertThat(message.withTopic("third").tag()).isEqualTo("a");
        assertThat(message.withProperty("X", "y").properties()).isEqualTo(Map.of("TAGS", "a", "X", "y"));
        assertThat(renamed.flag()).isEqualTo(7);
    }
}
