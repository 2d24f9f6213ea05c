package dev.perigee.sim.kind;

import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.fault.OneAtATime;
import java.util.EnumSet;
import java.util.Set;

/**
 * What may be lost on these machines when that goes wrong: what a master forgets that answers for what it has written, when its machine
 * loses power; and what a slave has not that takes a master's place. Not while one node fails at a time and the master waits for its slaves, for then one of those has it.
 *
 * @param isOneAtATime whether one node fails at a time
 * @param mayLose whether something that was acknowledged may be gone in the end, everywhere
 * @param hearsSlaves whether no cable is cut for so long that a master starts without its slaves: from those that it does not reach it cannot
 *     know what consumers committed to them meanwhile (R27)
 */
public record Promise(boolean isOneAtATime, boolean mayLose, boolean hearsSlaves) {
    private static final long HEARD_MS = 2_000;
    private static final Set<FaultKind> OF_ROADS = EnumSet.of(FaultKind.PART, FaultKind.PART_ONE_WAY);
    private static final Set<FaultKind> OF_POWER = EnumSet.of(FaultKind.POWER_LOSS, FaultKind.POWER_LOSS_IN_CALL);

    static Promise of(Scene scene) {
        Layout layout = scene.layout();
        FaultPlan plan = scene.plan();
        boolean isOneAtATime = OneAtATime.holds(plan, layout.brokerNames());
        boolean promotes = plan.events().stream().anyMatch(event -> event.kind() == FaultKind.PROMOTE);
        boolean waits = layout.brokers().get(0).role() == Layout.Role.SYNC_MASTER;
        boolean mayLose = (promotes && !(isOneAtATime && waits)) || forgets(layout, plan, isOneAtATime);
        boolean hearsSlaves = plan.events().stream()
                .noneMatch(event -> OF_ROADS.contains(event.kind()) && event.lastsMs() > HEARD_MS);
        return new Promise(isOneAtATime, mayLose, hearsSlaves);
    }

    private static boolean forgets(Layout layout, FaultPlan plan, boolean isOneAtATime) {
        return layout.brokers().stream()
                .filter(seat -> seat.brokerId() == 0
                        && !seat.forces()
                        && !(isOneAtATime && seat.role() == Layout.Role.SYNC_MASTER))
                .anyMatch(seat -> plan.events().stream()
                        .anyMatch(event ->
                                OF_POWER.contains(event.kind()) && event.on().equals(seat.machine())));
    }
}
