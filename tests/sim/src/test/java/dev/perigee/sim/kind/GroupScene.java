package dev.perigee.sim.kind;

import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultEvent;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Scenes of a group of three brokers or five, which elects its master. Every one mixes what {@link Mixed} names. Nothing that was
 * acknowledged may be lost in any of them: where members answer for what they have written and not forced, none loses its power.
 */
public final class GroupScene {
    private static final int SEEDS_A_LARGE_GROUP = 8;
    private static final int SEEDS_WITHOUT_FORCE = 4;
    private static final int SEEDS_A_SECOND_NAME_SERVER = 3;
    /** In one seed of so many all machines lose their power at once. */
    private static final int SEEDS_A_BLACKOUT = 3;

    private static final int MOST_TRANSFERS = 3;
    private static final int MOST_REPLACED = 2;
    private static final int LONGEST_MS = 4_000;
    /** What every seed mixes comes by then, so that it happens under load also when it has to wait. */
    private static final long CERTAIN_TO_MS = 16_000;
    /** The first change of members comes by then: it waits for all members. */
    private static final long CHANGE_TO_MS = 10_000;
    /** Clocks are wrong by no more: for so long what waits may wait longer, whoever leads next. */
    private static final long LONGEST_JUMP_MS = 90_000;

    private static final long OTHER_SEED = 0x6A_0BB1E5L;

    /** Frames of a connection between two brokers do not get lost, come twice or overtake each other: TCP sees to that. */
    private static final Set<FaultKind> LOOSE = EnumSet.of(FaultKind.LOSE, FaultKind.DOUBLE, FaultKind.OVERTAKE);

    /** What every seed mixes. */
    public enum Mixed {
        CRASH,
        PARTITION,
        DISK,
        MEMBERS;

        private Set<FaultKind> kinds() {
            return switch (this) {
                case CRASH ->
                    EnumSet.of(
                            FaultKind.KILL,
                            FaultKind.POWER_LOSS,
                            FaultKind.KILL_IN_CALL,
                            FaultKind.POWER_LOSS_IN_CALL,
                            FaultKind.LOSE_VIEWS);
                case PARTITION -> EnumSet.of(FaultKind.PART, FaultKind.PART_ONE_WAY);
                case DISK -> EnumSet.of(FaultKind.FAIL_FORCE, FaultKind.FAIL_WRITE, FaultKind.FILL, FaultKind.STALL);
                case MEMBERS -> EnumSet.of(FaultKind.REPLACE, FaultKind.WIPE);
            };
        }

        /** How much of it some kinds are that happened so often. */
        public int of(Map<FaultKind, Integer> counts) {
            return kinds().stream()
                    .mapToInt(kind -> counts.getOrDefault(kind, 0))
                    .sum();
        }
    }

    private GroupScene() {}

    /** The machines of a seed. */
    public static Layout layout(long seed) {
        int members = seed % SEEDS_A_LARGE_GROUP == SEEDS_A_LARGE_GROUP - 1 ? 5 : 3;
        int nameServers = seed % SEEDS_A_SECOND_NAME_SERVER == 0 ? 2 : 1;
        return Layout.group(nameServers, members, seed % SEEDS_WITHOUT_FORCE != 2);
    }

    /** How much of each there is in a plan. */
    public static Map<Mixed, Integer> counts(Map<FaultKind, Integer> kinds) {
        Map<Mixed, Integer> counts = new EnumMap<>(Mixed.class);
        for (Mixed mixed : Mixed.values()) {
            counts.put(mixed, mixed.of(kinds));
        }
        return counts;
    }

    /** What a seed makes go wrong on these machines. */
    public static FaultPlan drawn(long seed, Layout layout) {
        SplittableRandom random = new SplittableRandom(seed * OTHER_SEED + 1);
        List<String> brokers = layout.brokerNames();
        List<FaultEvent> events = new ArrayList<>();
        if (seed % 2 == 0) {
            FaultPlan.Cast all = new FaultPlan.Cast(layout.nameServerNames(), brokers, Exercise.CLIENTS);
            events.addAll(FaultPlan.draw(seed, all, Scene.FAULTS_FROM_MS, Scene.FAULTS_TO_MS)
                    .events());
        }
        FaultPlan.Cast members = new FaultPlan.Cast(List.of(), brokers, List.of());
        EnumSet<FaultKind> kinds = EnumSet.copyOf(FaultKind.withoutReplicas());
        kinds.add(FaultKind.GARBLE);
        kinds.removeAll(LOOSE);
        if (seed % 2 != 0 || random.nextBoolean()) {
            events.addAll(FaultPlan.draw(seed + OTHER_SEED, members, kinds, Scene.FAULTS_FROM_MS, Scene.FAULTS_TO_MS)
                    .events());
        }
        for (Mixed mixed : Mixed.values()) {
            long toMs = mixed == Mixed.MEMBERS ? CHANGE_TO_MS : CERTAIN_TO_MS;
            events.add(event(random, toMs, one(random, mixed.kinds()), brokers));
        }
        for (int i = random.nextInt(MOST_REPLACED); i > 0; i--) {
            events.add(event(random, Scene.FAULTS_TO_MS, one(random, Mixed.MEMBERS.kinds()), brokers));
        }
        for (int i = random.nextInt(MOST_TRANSFERS + 1); i > 0; i--) {
            events.add(event(random, Scene.FAULTS_TO_MS, FaultKind.TRANSFER, brokers));
        }
        if (seed % SEEDS_A_BLACKOUT == 1) {
            long atMs = random.nextLong(Scene.FAULTS_FROM_MS, CERTAIN_TO_MS);
            for (String broker : brokers) {
                events.add(new FaultEvent(
                        atMs, FaultKind.POWER_LOSS, broker, FaultEvent.NOBODY, 1L + random.nextInt(LONGEST_MS), 0));
            }
        }
        return fitting(events, layout);
    }

    private static FaultEvent event(SplittableRandom random, long toMs, FaultKind kind, List<String> brokers) {
        String on = one(random, brokers);
        List<String> others = new ArrayList<>(brokers);
        others.remove(on);
        boolean isRoad = Mixed.PARTITION.kinds().contains(kind);
        return new FaultEvent(
                random.nextLong(Scene.FAULTS_FROM_MS, toMs),
                kind,
                on,
                isRoad ? one(random, others) : FaultEvent.NOBODY,
                1L + random.nextInt(LONGEST_MS),
                random.nextInt(2));
    }

    private static <T> T one(SplittableRandom random, Collection<T> of) {
        return List.copyOf(of).get(random.nextInt(of.size()));
    }

    private static FaultPlan fitting(List<FaultEvent> events, Layout layout) {
        boolean forces = layout.brokers().stream().allMatch(Layout.Seat::forces);
        return new FaultPlan(
                events.stream().map(event -> fitting(event, layout, forces)).toList());
    }

    private static FaultEvent fitting(FaultEvent event, Layout layout, boolean forces) {
        List<String> brokers = layout.brokerNames();
        if (event.kind() == FaultKind.CLOCK) {
            long amount = event.amount() % LONGEST_JUMP_MS;
            return new FaultEvent(event.atMs(), event.kind(), event.on(), event.other(), event.lastsMs(), amount);
        }
        if (LOOSE.contains(event.kind()) && brokers.contains(event.on()) && brokers.contains(event.other())) {
            return event.as(FaultKind.CUT);
        }
        return event.as(
                switch (event.kind()) {
                    case ROT -> FaultKind.LOSE_VIEWS; // a start that finds it asks the other members, and blocks
                    case POWER_LOSS -> forces ? FaultKind.POWER_LOSS : FaultKind.KILL;
                    case POWER_LOSS_IN_CALL -> forces ? FaultKind.POWER_LOSS_IN_CALL : FaultKind.KILL_IN_CALL;
                    default -> event.kind();
                });
    }
}
