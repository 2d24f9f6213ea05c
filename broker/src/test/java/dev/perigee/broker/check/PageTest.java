package dev.perigee.broker.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.DataVersion;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PageTest {
    private static final DataVersion NOW = new DataVersion(0, 1_760_000_000_000L, 2);

    @Test
    void nothingAskedIsNoPage() {
        assertThat(Page.of(null, null, null, NOW)).isNull();
        assertThat(Page.of(null, null, "", NOW)).isNull();
    }

    @Test
    void anyOfTheThreeFieldsAsksForAPage() {
        assertThat(Page.of(3, null, null, NOW)).isEqualTo(new Page(3, Page.MAX));
        assertThat(Page.of(null, 7, null, NOW)).isEqualTo(new Page(0, 7));
        assertThat(Page.of(null, null, Json.writeText(NOW), NOW)).isEqualTo(new Page(0, Page.MAX));
    }

    @Test
    void aPageOfTheSameVersionGoesOn() {
        assertThat(Page.of(5, 5, Json.writeText(NOW), NOW)).isEqualTo(new Page(5, 5));
    }

    @Test
    void aPageOfAnotherVersionStartsAgain() {
        DataVersion before = new DataVersion(0, NOW.timestamp(), 1);
        assertThat(Page.of(5, 5, Json.writeText(before), NOW)).isEqualTo(new Page(0, 5));
        assertThat(Page.of(5, 5, "no version", NOW)).isEqualTo(new Page(0, 5));
    }

    @Test
    void sizesOutOfRangeAreCut() {
        assertThat(Page.of(-1, 100_000, null, NOW)).isEqualTo(new Page(0, Page.MAX));
        assertThat(Page.of(0, 0, null, NOW)).isEqualTo(new Page(0, Page.MAX));
    }

    @Test
    void entriesComeInTheOrderOfTheirNames() {
        TreeMap<String, Integer> table = new TreeMap<>(Map.of("c", 3, "a", 1, "b", 2));
        assertThat(new Page(1, 1).cut(table)).containsOnlyKeys("b");
        assertThat(new Page(3, 9).cut(table)).isEmpty();
    }
}
