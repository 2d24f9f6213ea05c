package dev.perigee.sim.kind;

import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultPlan;

/** On which machines a run takes place, and what goes wrong in it. */
public record Scene(Layout layout, FaultPlan plan) {
    /** All is well while clients start. */
    static final long CALM_BEFORE_MS = 5_000;

    static final long FAULTS_FROM_MS = 7_000;
    static final long FAULTS_TO_MS = 31_000;

    /** The scene of a seed. */
    public static Scene of(long seed) {
        Layout layout = layout(seed);
        return new Scene(layout, drawn(seed, layout));
    }

    /** What a seed makes go wrong on these machines. */
    public static FaultPlan drawn(long seed, Layout layout) {
        FaultPlan.Cast cast = new FaultPlan.Cast(layout.nameServerNames(), layout.brokerNames(), Exercise.CLIENTS);
        return FaultPlan.draw(seed, cast, FAULTS_FROM_MS, FAULTS_TO_MS);
    }

    /** The machines of a seed: one, two or three brokers, and one or two name servers. */
    public static Layout layout(long seed) {
        int dice = (int) (seed % 8);
        int brokers = dice % 4 == 3 ? 3 : 1 + dice % 2;
        return Layout.of(1 + dice / 2 % 2, brokers);
    }
}
