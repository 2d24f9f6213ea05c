package dev.perigee.harness.scenario;

import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Plays scenarios from the command line while a cluster is being worked on: {@code <words> [namesrv broker clusterName brokerName]}. Runs
 * those whose name contains the words, or with an exclamation mark before the words those that do not, against the given cluster or else against a stock one of its own.
 */
public final class ScenarioRun {
    private ScenarioRun() {}

    /** Prints one line per scenario and ends with 1 when any failed. */
    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("scenarios");
        List<String> failed = new ArrayList<>();
        if (args.length >= 5) {
            failed.addAll(
                    play(args[0], new Target(args[1], args[2], args[3], args[4]), folder, UnaryOperator.identity()));
        } else {
            try (StockCluster cluster =
                    new StockCluster(folder.resolve("cluster")).asksSoon().start()) {
                failed.addAll(
                        play(args.length == 0 ? "" : args[0], cluster.target(), folder, StockDriver::atStockBrokers));
            }
        }
        System.out.println(failed.isEmpty() ? "all passed" : "failed: " + failed);
        System.exit(failed.isEmpty() ? 0 : 1);
    }

    private static List<String> play(String words, Target target, Path folder, UnaryOperator<StockDriver> at)
            throws IOException {
        try (StockDriver five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), target.namesrv());
                StockDriver four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), target.namesrv())) {
            List<Scenario> scenarios = new ArrayList<>();
            for (StockDriver driver : List.of(at.apply(five), at.apply(four))) {
                scenarios.addAll(StockScenarios.messaging(driver));
                scenarios.addAll(StockScenarios.redelivery(driver));
                scenarios.addAll(StockScenarios.sql(driver));
                scenarios.addAll(StockScenarios.delays(driver));
                scenarios.addAll(StockScenarios.transactions(driver));
                scenarios.addAll(StockScenarios.transactionsOfPerigee(driver));
                scenarios.addAll(StockScenarios.requests(driver));
                scenarios.addAll(StockScenarios.bodies(driver));
                scenarios.addAll(StockScenarios.checks(driver));
                scenarios.addAll(StockScenarios.checksOfPerigee(driver));
            }
            scenarios.addAll(StockScenarios.codecs(five));
            scenarios.addAll(StockScenarios.priorities(five));
            StockAdmin admin = new StockAdmin(StockPeer.TOOLS5, folder.resolve("admin"));
            scenarios.addAll(StockScenarios.admin(admin, five, target));
            scenarios.addAll(StockScenarios.adminAlone(admin, five, target));
            return scenarios.stream()
                    .filter(scenario -> wanted(scenario.name(), words))
                    .filter(scenario -> !passes(scenario))
                    .map(Scenario::name)
                    .toList();
        }
    }

    private static boolean wanted(String name, String words) {
        return words.startsWith("!") ? !name.contains(words.substring(1)) : name.contains(words);
    }

    private static boolean passes(Scenario scenario) {
        long start = System.nanoTime();
        boolean passed = true;
        try {
            scenario.run();
        } catch (Exception | AssertionError failure) {
            passed = false;
            System.out.println(failure);
        }
        System.out.printf(
                "%s %5d ms  %s%n", passed ? "ok  " : "FAIL", (System.nanoTime() - start) / 1_000_000, scenario.name());
        return passed;
    }
}
