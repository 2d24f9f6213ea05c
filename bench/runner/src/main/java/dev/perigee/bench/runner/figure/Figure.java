package dev.perigee.bench.runner.figure;

import java.util.List;

/** The figures of a row, in the order of the tables. */
public enum Figure {
    PER_SECOND("messages/s"),
    BROKER_CPU("broker CPU µs/message"),
    P50("p50 µs"),
    P99("p99 µs"),
    P999("p99.9 µs"),
    PACE_MISSES("pacing misses"),
    LAG("slave behind, bytes");

    private final String title;

    Figure(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** The values of the runs that count. */
    public Samples of(List<Figures> runs) {
        return new Samples(runs.stream()
                .filter(Figures::isSound)
                .mapToDouble(this::valueIn)
                .toArray());
    }

    private double valueIn(Figures run) {
        return switch (this) {
            case PER_SECOND -> run.perSecond();
            case BROKER_CPU -> run.cpuUsPerMessage();
            case P50 -> run.p50us();
            case P99 -> run.p99us();
            case P999 -> run.p999us();
            case PACE_MISSES -> run.paceMisses();
            case LAG -> run.lagBytes();
        };
    }
}
