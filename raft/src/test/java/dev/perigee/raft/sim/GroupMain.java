package dev.perigee.raft.sim;

import java.util.EnumMap;
import java.util.Map;

/**
 * Makes runs of many seeds in a JVM of its own: {@code firstSeed seeds faultsMs}. Ends with 1 and names the seed when a run shows
 * something, with 0 and the sums when none does.
 */
final class GroupMain {
    private GroupMain() {}

    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long seeds = Long.parseLong(arguments[1]);
        long faultsMs = Long.parseLong(arguments[2]);
        Map<GroupRun.Event, Integer> events = new EnumMap<>(GroupRun.Event.class);
        long elections = 0;
        long acknowledged = 0;
        long virtualMs = 0;
        long steps = 0;
        int losses = 0;
        for (long seed = first; seed < first + seeds; seed++) {
            try {
                GroupRun.Result result = new GroupRun(seed, faultsMs).run();
                result.events().forEach((event, count) -> events.merge(event, count, Integer::sum));
                elections += result.elections();
                acknowledged += result.acknowledged();
                virtualMs += result.virtualMs();
                steps += result.steps();
                losses += result.loss() ? 1 : 0;
            } catch (RuntimeException e) {
                System.out.println("seed " + seed + ": " + e);
                if (arguments.length > 3) {
                    e.printStackTrace();
                }
                System.exit(1);
            }
        }
        System.out.println("seeds=" + seeds + " virtualSeconds=" + virtualMs / 1000 + " steps=" + steps + " elections="
                + elections + " acknowledged=" + acknowledged + " possibleLoss=" + losses + " " + events);
    }
}
