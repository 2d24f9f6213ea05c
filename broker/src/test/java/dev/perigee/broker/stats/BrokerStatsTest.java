package dev.perigee.broker.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.stats.StatsItem;
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

    /** One sample after the first: the last minute is that one, ten seconds long. */
    private StatsItem minute(String name, String key) {
        return Objects.requireNonNull(stats.find(name, key), name + " " + key).statsMinute();
    }

    @Test
    void statisticsOfATopicTellMessagesAndBytesOfTheLastMinute() {
        stats.stored("T", 1, 100);
        stats.stored("T", 1, 250);
        stats.stored("T", 1, 400);
        stats.stored("U", 5, 5_000);
        stats.sample(10_000);

        assertThat(minute("TOPIC_PUT_NUMS", "T")).isEqualTo(new StatsItem(3, 0.3, 1));
        assertThat(minute("TOPIC_PUT_SIZE", "T")).isEqualTo(new StatsItem(750, 75, 250));
        assertThat(minute("TOPIC_PUT_NUMS", "U")).isEqualTo(new StatsItem(5, 0.5, 1));
        assertThat(stats.find("TOPIC_PUT_NUMS", "V")).isNull();
    }

    @Test
    void statisticsOfAGroupTellWhatItGotOfATopic() {
        stats.read("T", "g", 2, 300);
        stats.read("T", "g", 1, 30);
        stats.read("T", "h", 7, 7_000);
        stats.read("U", "g", 9, 9_000);
        stats.sample(10_000);

        assertThat(minute("GROUP_GET_NUMS", "T@g")).isEqualTo(new StatsItem(3, 0.3, 1));
        assertThat(minute("GROUP_GET_SIZE", "T@g")).isEqualTo(new StatsItem(330, 33, 110));
        assertThat(stats.find("GROUP_GET_NUMS", "T")).isNull();
        assertThat(stats.find("GROUP_GET_NUMS", "T@i")).isNull();
    }

    @Test
    void statisticsOfTheBrokerTellAllTopicsAndGroupsUnderTheNameOfItsCluster() {
        stats.stored("T", 2, 200);
        stats.stored("U", 4, 400);
        stats.read("T", "g", 1, 100);
        stats.read("U", "h", 1, 100);
        stats.sample(10_000);
        stats.sample(20_000);

        assertThat(minute("BROKER_PUT_NUMS", "cluster")).isEqualTo(new StatsItem(6, 0.3, 1));
        assertThat(minute("BROKER_GET_NUMS", "cluster")).isEqualTo(new StatsItem(2, 0.1, 1));
        assertThat(stats.find("BROKER_PUT_NUMS", "another")).isNull();
        assertThat(stats.find("NO_SUCH_NUMS", "cluster")).isNull();
    }

    @Test
    void whatCameBackAndWhatBecameADeadLetterIsToldByTopicAndGroup() {
        stats.sentBack("T", "g");
        stats.sentBack("T", "g");
        stats.deadLetter("T", "g");
        stats.sample(10_000);

        assertThat(minute("SNDBCK_PUT_NUMS", "T@g").sum()).isEqualTo(2);
        assertThat(minute("DLQ_PUT_NUMS", "T@g").sum()).isEqualTo(1);
    }
}
