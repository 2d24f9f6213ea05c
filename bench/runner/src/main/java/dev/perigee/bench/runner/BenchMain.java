package dev.perigee.bench.runner;

import dev.perigee.bench.runner.figure.ResultLog;
import dev.perigee.bench.runner.server.ServerKind;
import java.util.HashSet;
import java.util.Set;

/**
 * Puts the same load on Perigee and its peers, in turn, and prints medians, spreads and ratios. Each run is also appended to a file of JSON
 * lines. Arguments are {@code key=value}, see {@link Settings}.
 */
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) throws Exception {
        Settings settings = Settings.of(args);
        checkNames(settings);
        ResultLog log = new ResultLog(settings.results());
        for (Scenario scenario : Scenario.all()) {
            if (settings.wants(scenario.name())) {
                new Comparison(settings, log, scenario).run();
            }
        }
        if (settings.kinds().contains(ServerKind.PERIGEE_PAIR) && settings.wants(LagRow.NAME)) {
            new LagRow(settings, log).run();
        }
        if (settings.wants(FailoverRow.NAME)) {
            new FailoverRow(settings, log).run();
        }
        if (settings.kinds().contains(ServerKind.PERIGEE_GROUP) && settings.wants(TransferRow.NAME)) {
            new TransferRow(settings, log).run();
        }
        if (settings.kinds().contains(ServerKind.PERIGEE)) {
            if (settings.wants(StartRow.NAME)) {
                new StartRow(settings, log).run();
            }
            if (settings.wants(RecoveryRow.NAME)) {
                new RecoveryRow(settings, log).run();
            }
            if (settings.wants(TimerRow.NAME)) {
                new TimerRow(settings, log).run();
            }
        }
        System.out.println("every run is in " + settings.results());
    }

    private static void checkNames(Settings settings) {
        Set<String> unknown = new HashSet<>(settings.scenarios());
        Scenario.all().forEach(scenario -> unknown.remove(scenario.name()));
        unknown.remove(StartRow.NAME);
        unknown.remove(RecoveryRow.NAME);
        unknown.remove(TimerRow.NAME);
        unknown.remove(LagRow.NAME);
        unknown.remove(FailoverRow.NAME);
        unknown.remove(TransferRow.NAME);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("no scenario is called " + unknown);
        }
    }
}
