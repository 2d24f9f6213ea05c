package dev.perigee.compat;

import dev.perigee.harness.scenario.Scenario;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Scenarios as tests. */
final class ScenarioTests {
    private ScenarioTests() {}

    static Stream<DynamicTest> of(List<Scenario> scenarios) {
        return scenarios.stream().map(scenario -> DynamicTest.dynamicTest(scenario.name(), scenario::run));
    }
}
