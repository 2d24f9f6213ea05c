package dev.perigee.bench.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.bench.runner.server.ServerKind;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SettingsTest {
    @Test
    void withoutArgumentsEverythingRuns() {
        Settings settings = Settings.of();

        assertThat(settings.kinds()).containsExactlyInAnyOrder(ServerKind.values());
        assertThat(settings.wants("async-1k")).isTrue();
        assertThat(settings.runs()).isEqualTo(5);
    }

    @Test
    void kindsAndScenariosRestrict() {
        Settings settings = Settings.of("kinds=PERIGEE,KAFKA", "scenarios=own-client-async");

        assertThat(settings.kinds()).containsExactlyInAnyOrder(ServerKind.PERIGEE, ServerKind.KAFKA);
        assertThat(settings.wants("own-client-async")).isTrue();
        assertThat(settings.wants("async-1k")).isFalse();
    }

    @Test
    void aMisspeltArgumentIsRefusedByName() {
        assertThatThrownBy(() -> Settings.of("scenario=async-1k")).hasMessageContaining("'scenario=async-1k'");
    }

    @Test
    void everyContestantOfEveryScenarioMeetsTheSameQueuesPerTopic() {
        for (Scenario scenario : Scenario.all()) {
            assertThat(scenario.contestants())
                    .allSatisfy(contestant ->
                            assertThat(scenario.loadFor(contestant)).containsEntry("queues", "4"));
        }
    }

    @Test
    void aPairIsComparedWithAStockPairAndWithItsMasterAloneInTheSameTurns() {
        List<Scenario> pairs = Scenario.all().stream()
                .filter(each -> each.name().startsWith("pair-"))
                .toList();

        assertThat(pairs)
                .extracting(Scenario::flush)
                .containsOnly(Scenario.ASYNC, Scenario.SYNC)
                .hasSize(8);
        assertThat(pairs)
                .allSatisfy(each -> assertThat(each.contestants())
                        .extracting(Contestant::server)
                        .containsExactly(ServerKind.PERIGEE_PAIR, ServerKind.STOCK_PAIR, ServerKind.PERIGEE));
    }

    @Test
    void aGroupIsComparedWithAStockGroupAndWithOneBrokerInTheSameTurns() {
        List<Scenario> groups = Scenario.all().stream()
                .filter(each -> each.name().startsWith("group-"))
                .toList();

        assertThat(groups).hasSize(9);
        assertThat(groups)
                .allSatisfy(each -> assertThat(each.contestants())
                        .extracting(Contestant::server)
                        .as("a stock group may be there twice, with fewer sends on their way")
                        .containsOnly(ServerKind.PERIGEE_GROUP, ServerKind.STOCK_GROUP, ServerKind.PERIGEE)
                        .startsWith(ServerKind.PERIGEE_GROUP, ServerKind.STOCK_GROUP)
                        .endsWith(ServerKind.PERIGEE));
    }

    @Test
    void theManyTopicsAreComparedWithOneTopicOnTheSameServerAndClient() {
        Scenario scenario = Scenario.all().stream()
                .filter(each -> each.name().equals("async-1k-1000-topics"))
                .findFirst()
                .orElseThrow();
        List<Contestant> ours = scenario.contestants().stream()
                .filter(each -> each.server() == ServerKind.PERIGEE)
                .toList();

        assertThat(ours)
                .extracting(each -> scenario.loadFor(each).get("topics"))
                .containsExactly("1000", "1");
        assertThat(ours).extracting(Contestant::client).containsOnly(LoadClient.STOCK);
    }
}
