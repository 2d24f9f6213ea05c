package dev.perigee.sim.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All that goes wrong in one run, as data: the same list on the same seed is the same run. */
public record FaultPlan(List<FaultEvent> events) {
    /** Nothing goes wrong. */
    public static final FaultPlan NONE = new FaultPlan(List.of());

    private static final String SEPARATOR = ",";
    private static final String FILE = "@";
    private static final int FEWEST = 6;
    private static final int MORE = 18;
    private static final int LONGEST_MS = 6_000;
    private static final int WORST_PERCENT = 40;
    private static final int WORST_DELAY_MS = 2_000;
    private static final int STEPS = 40;
    private static final int CALLS = 60;
    private static final int LONGEST_JUMP_MS = 3_600_000;
    private static final int ROTTEN_BYTES = 2_000;

    public FaultPlan {
        events = events.stream()
                .sorted(Comparator.comparingLong(FaultEvent::atMs))
                .toList();
    }

    /**
     * To whom it can happen.
     *
     * @param slaves those brokers that are slaves
     * @param clients their processes
     */
    public record Cast(List<String> nameServers, List<String> brokers, List<String> slaves, List<String> clients) {
        /** Without slaves. */
        public Cast(List<String> nameServers, List<String> brokers, List<String> clients) {
            this(nameServers, brokers, List.of(), clients);
        }

        private List<String> machines() {
            List<String> machines = new ArrayList<>(nameServers);
            machines.addAll(brokers);
            return machines;
        }

        private List<String> everybody() {
            List<String> everybody = machines();
            everybody.addAll(clients);
            return everybody;
        }
    }

    /** Draws what goes wrong between two times, anything that can where nobody has replicas; events overlap as they come. */
    public static FaultPlan draw(long seed, Cast cast, long fromMs, long toMs) {
        return draw(seed, cast, FaultKind.withoutReplicas(), fromMs, toMs);
    }

    /** As above, of some kinds only, which are a set that keeps its order; nothing when there is none. */
    public static FaultPlan draw(long seed, Cast cast, Set<FaultKind> kinds, long fromMs, long toMs) {
        if (kinds.isEmpty()) {
            return NONE;
        }
        SplittableRandom random = new SplittableRandom(seed * 0x9E37_79B9L + 1);
        List<FaultEvent> events = new ArrayList<>();
        int count = FEWEST + random.nextInt(MORE);
        for (int i = 0; i < count; i++) {
            events.add(drawOne(random, cast, kinds, fromMs + random.nextLong(toMs - fromMs)));
        }
        return new FaultPlan(events);
    }

    private static FaultEvent drawOne(SplittableRandom random, Cast cast, Set<FaultKind> kinds, long atMs) {
        FaultKind kind = kind(random, kinds);
        String on = one(
                random,
                switch (kind.where()) {
                    case ROAD -> cast.everybody();
                    case MACHINE -> cast.machines();
                    case BROKER -> cast.brokers();
                    case SLAVE -> cast.slaves();
                });
        String other = FaultEvent.NOBODY;
        if (kind.where() == FaultKind.Where.ROAD) {
            List<String> others = new ArrayList<>(cast.clients().contains(on) ? cast.machines() : cast.everybody());
            others.remove(on);
            other = one(random, others);
        }
        return new FaultEvent(atMs, kind, on, other, 1L + random.nextInt(LONGEST_MS), amount(random, kind));
    }

    static FaultKind kind(SplittableRandom random, Set<FaultKind> kinds) {
        int all = kinds.stream().mapToInt(FaultKind::weight).sum();
        int dice = random.nextInt(all);
        for (FaultKind kind : kinds) {
            dice -= kind.weight();
            if (dice < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("the weights do not add up to " + all);
    }

    static long amount(SplittableRandom random, FaultKind kind) {
        return switch (kind) {
            case LOSE, DOUBLE, GARBLE -> 1 + random.nextInt(WORST_PERCENT);
            case DELAY, OVERTAKE -> 1 + random.nextInt(WORST_DELAY_MS);
            case KILL, POWER_LOSS -> random.nextInt(STEPS);
            case KILL_IN_CALL, POWER_LOSS_IN_CALL -> random.nextInt(CALLS);
            case CLOCK -> random.nextInt(2 * LONGEST_JUMP_MS) - LONGEST_JUMP_MS;
            case ROT -> random.nextInt(ROTTEN_BYTES);
            case PROMOTE -> random.nextInt(Promotion.WAYS);
            case TRANSFER, REPLACE -> random.nextInt(2);
            case CUT,
                    PART,
                    PART_ONE_WAY,
                    FREEZE,
                    RESTART,
                    FAIL_FORCE,
                    FAIL_WRITE,
                    FILL,
                    STALL,
                    LOSE_VIEWS,
                    WIPE,
                    HEAL -> 0;
        };
    }

    private static String one(SplittableRandom random, List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    /** How often what goes wrong. */
    public SortedMap<FaultKind, Integer> kinds() {
        SortedMap<FaultKind, Integer> kinds = new TreeMap<>();
        events.forEach(event -> kinds.merge(event.kind(), 1, Integer::sum));
        return kinds;
    }

    /** As it is written on a command line. */
    @Override
    public String toString() {
        return events.stream().map(FaultEvent::toString).collect(Collectors.joining(SEPARATOR));
    }

    /**
     * Reads events separated by commas or lines, or from a file when the text is {@code @} and its path.
     *
     * @throws IllegalArgumentException when one is none
     */
    public static FaultPlan read(String text) throws IOException {
        String events = text.startsWith(FILE) ? Files.readString(Path.of(text.substring(1))) : text;
        return new FaultPlan(Arrays.stream(events.split("[,\\s]+"))
                .filter(one -> !one.isEmpty())
                .map(FaultEvent::parse)
                .toList());
    }
}
