package dev.perigee.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class BrokerStatsTest {
    private final BrokerStats stats = new BrokerStats("cluster", ZoneOffset.UTC, 0, 3);

    private int pairs() {
        return stats.readers().values().stream().mapToInt(Map::size).sum();
    }

    @Test
    void pairsOfTopicAndGroupBeyondTheLimitAreCountedInTheTotalsOnly() {
        for (String topic : new String[] {"T", "U"}) {
            for (String group : new String[] {"g", "h", "i"}) {
                stats.read(topic, group, 1, 100);
            }
        }
        assertThat(pairs()).isEqualTo(3);
        assertThat(stats.got().messages().total()).isEqualTo(6);
        stats.read("T", "h", 4, 100);
        Map<String, Flow> groups = Objects.requireNonNull(stats.readers().get("T"));
        assertThat(Objects.requireNonNull(groups.get("h")).messages().total()).isEqualTo(5);
    }

    @Test
    void whatIsForgottenMakesRoom() {
        stats.read("T", "g", 1, 100);
        stats.read("T", "h", 1, 100);
        stats.read("U", "g", 1, 100);
        stats.forgetGroup("g");
        assertThat(pairs()).isEqualTo(1);
        assertThat(stats.readers()).containsOnlyKeys("T");
        stats.forgetTopic("T");
        stats.forgetTopic("T");
        for (String group : new String[] {"g", "h", "i", "j"}) {
            stats.read("V", group, 1, 100);
        }
        assertThat(pairs()).isEqualTo(3);
    }
}
