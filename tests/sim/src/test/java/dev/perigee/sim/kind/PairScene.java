package dev.perigee.sim.kind;

import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.cluster.Layout.Guard;
import dev.perigee.sim.fault.FaultEvent;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.fault.OneAtATime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Scenes of a master with one slave or two. In every other one node fails at a time, in the others faults overlap as they come. What may be
 * lost where somebody does not force what it answers for, a {@link Promise} says.
 */
public final class PairScene {
    /** The guards of seeds in turn: half of them are those of a synchronous pair with synchronous flush. */
    private static final List<Guard> GUARDS = List.of(
            Guard.STRICT,
            new Guard(false, true, true),
            Guard.STRICT,
            new Guard(true, true, false),
            Guard.STRICT,
            new Guard(true, false, false),
            Guard.STRICT,
            new Guard(true, false, true),
            Guard.STRICT,
            new Guard(false, false, false));

    /** Of so many seeds, which share no divisor with the number of guards, one tells slaves where their master is. */
    private static final int SEEDS_A_TOLD_MASTER = 7;

    private static final int SEEDS_A_SECOND_NAME_SERVER = 3;

    /** Of two slaves both are waited for in the second half of so many seeds. */
    private static final int SEEDS_OF_COPIES = 26;

    private static final int MOST_PROMOTIONS = 2;

    /** Frames of a connection between two brokers do not get lost, come twice or overtake each other: TCP sees to that. */
    private static final Set<FaultKind> LOOSE = EnumSet.of(FaultKind.LOSE, FaultKind.DOUBLE, FaultKind.OVERTAKE);

    private static final long OTHER_SEED = 0x5E_ED00L;

    private PairScene() {}

    /** The scene of a seed. */
    public static Scene of(long seed) {
        Layout layout = layout(seed);
        return new Scene(layout, drawn(seed, layout));
    }

    /** The machines of a seed. */
    public static Layout layout(long seed) {
        int slaves = seed / (2L * GUARDS.size()) % 2 == 0 ? 1 : 2;
        int nameServers = seed % SEEDS_A_SECOND_NAME_SERVER == 0 ? 2 : 1;
        Layout layout = Layout.replicated(nameServers, slaves, guard(seed));
        if (slaves > 1 && seed % SEEDS_OF_COPIES / (SEEDS_OF_COPIES / 2) == 1) {
            layout = layout.withCopiesEverywhere();
        }
        return seed % SEEDS_A_TOLD_MASTER == 0 ? layout.tellingMasters() : layout;
    }

    private static Guard guard(long seed) {
        return GUARDS.get((int) (seed % GUARDS.size()));
    }

    /** Whether one node fails at a time in the run of a seed. */
    public static boolean isOneAtATime(long seed) {
        return seed / 2 % 2 == 0;
    }

    /** What a seed makes go wrong on these machines. */
    public static FaultPlan drawn(long seed, Layout layout) {
        List<String> brokers = layout.brokerNames();
        List<String> slaves = brokers.subList(1, brokers.size());
        FaultPlan.Cast replicas = new FaultPlan.Cast(List.of(), brokers, slaves, List.of());
        EnumSet<FaultKind> kinds = EnumSet.allOf(FaultKind.class);
        kinds.removeAll(LOOSE);
        kinds.remove(FaultKind.HEAL);
        if (layout.tellsMasters()) {
            kinds.remove(FaultKind.PROMOTE); // whoever tells slaves would have to tell them again
        }
        if (isOneAtATime(seed)) {
            FaultPlan plan = OneAtATime.draw(seed, replicas, kinds, Scene.FAULTS_FROM_MS, Scene.FAULTS_TO_MS);
            return fitting(plan.events(), layout);
        }
        FaultPlan.Cast all = new FaultPlan.Cast(layout.nameServerNames(), brokers, slaves, Exercise.CLIENTS);
        List<FaultEvent> events = new ArrayList<>(FaultPlan.draw(seed, all, Scene.FAULTS_FROM_MS, Scene.FAULTS_TO_MS)
                .events());
        events.addAll(FaultPlan.draw(seed + OTHER_SEED, replicas, kinds, Scene.FAULTS_FROM_MS, Scene.FAULTS_TO_MS)
                .events());
        if (kinds.contains(FaultKind.PROMOTE) && seed % SEEDS_A_SECOND_NAME_SERVER == 0) {
            events.addAll(promotions(seed, slaves));
        }
        return fitting(events, layout);
    }

    private static List<FaultEvent> promotions(long seed, List<String> slaves) {
        SplittableRandom random = new SplittableRandom(seed * OTHER_SEED);
        return IntStream.rangeClosed(0, random.nextInt(MOST_PROMOTIONS))
                .mapToObj(i -> new FaultEvent(
                        random.nextLong(Scene.FAULTS_FROM_MS, Scene.FAULTS_TO_MS),
                        FaultKind.PROMOTE,
                        slaves.get(random.nextInt(slaves.size())),
                        FaultEvent.NOBODY,
                        random.nextLong(Scene.CALM_BEFORE_MS),
                        random.nextInt()))
                .toList();
    }

    private static FaultPlan fitting(List<FaultEvent> events, Layout layout) {
        boolean forces = layout.brokers().stream().allMatch(Layout.Seat::forces);
        boolean promotes = events.stream().anyMatch(event -> event.kind() == FaultKind.PROMOTE);
        return new FaultPlan(events.stream()
                .map(event -> event.as(kindOf(event, layout.brokerNames(), forces, promotes)))
                .toList());
    }

    private static FaultKind kindOf(FaultEvent event, List<String> brokers, boolean forces, boolean promotes) {
        if (promotes && event.kind() == FaultKind.CLOCK) {
            return FaultKind.STALL; // a new master goes by its own clock
        }
        if (LOOSE.contains(event.kind()) && brokers.contains(event.on()) && brokers.contains(event.other())) {
            return FaultKind.CUT;
        }
        return event.kind() == FaultKind.ROT && !forces
                ? FaultKind.LOSE_VIEWS // nobody knows what of it was on the disk
                : event.kind();
    }
}
