package dev.perigee.faults.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Which faults a run has, drawn from a seed: episodes one after the other, between which everything is healed and well again. Every kind
 * comes about equally often. Pure.
 */
public record Plan(List<Episode> episodes) {
    private static final int SHORTEST_MS = 1_000;
    private static final int LONGEST_MS = 5_000;
    /** One episode of so many has two faults, if they may overlap. */
    private static final int OVERLAPPING = 4;

    /** Which nodes may be hurt at a time. */
    public enum Overlap {
        /** One fault at a time. */
        NONE,
        /** Faults of several kinds, on one node. */
        ONE_NODE,
        /** Faults on any nodes, but never on half of them. */
        MINORITY;

        private int mostNodes(int nodes) {
            return this == MINORITY ? Math.max(1, (nodes - 1) / 2) : 1;
        }
    }

    /**
     * One fault of an episode.
     *
     * @param startMs after the episode's begin
     * @param healMs after the episode's begin
     * @param detailSeed what its figures are drawn from
     */
    public record Planned(FaultKind kind, int node, long startMs, long healMs, long detailSeed) {}

    /** Faults that overlap. */
    public record Episode(List<Planned> faults) {}

    /** A plan of so many faults on so many nodes. */
    public static Plan draw(long seed, int faults, List<FaultKind> kinds, int nodes, Overlap overlap) {
        if (faults < 1 || kinds.isEmpty() || nodes < 1) {
            throw new IllegalArgumentException(faults + " faults of " + kinds + " on " + nodes + " nodes");
        }
        Random random = new Random(seed);
        List<FaultKind> bag = new ArrayList<>();
        List<Episode> episodes = new ArrayList<>();
        for (int left = faults; left > 0; ) {
            boolean isDouble = overlap != Overlap.NONE && left > 1 && random.nextInt(OVERLAPPING) == 0;
            Episode episode = isDouble ? two(random, bag, kinds, nodes, overlap) : one(random, bag, kinds, nodes);
            left -= episode.faults().size();
            episodes.add(episode);
        }
        return new Plan(List.copyOf(episodes));
    }

    private static Episode one(Random random, List<FaultKind> bag, List<FaultKind> kinds, int nodes) {
        return new Episode(List.of(planned(random, next(random, bag, kinds), random.nextInt(nodes), 0)));
    }

    private static Episode two(Random random, List<FaultKind> bag, List<FaultKind> kinds, int nodes, Overlap overlap) {
        Planned first = planned(random, next(random, bag, kinds), random.nextInt(nodes), 0);
        int node = overlap.mostNodes(nodes) > 1 ? random.nextInt(nodes) : first.node();
        FaultKind kind = next(random, bag, kinds);
        if (node == first.node() && !first.kind().canOverlap(kind)) {
            bag.add(0, kind);
            return new Episode(List.of(first));
        }
        Planned second = planned(random, kind, node, random.nextLong(first.healMs()));
        return new Episode(List.of(first, second));
    }

    private static Planned planned(Random random, FaultKind kind, int node, long startMs) {
        long lengthMs = random.nextInt(SHORTEST_MS, LONGEST_MS);
        return new Planned(kind, node, startMs, startMs + lengthMs, random.nextLong());
    }

    private static FaultKind next(Random random, List<FaultKind> bag, List<FaultKind> kinds) {
        if (bag.isEmpty()) {
            bag.addAll(kinds);
            Collections.shuffle(bag, random);
        }
        return bag.remove(bag.size() - 1);
    }

    /** How many faults it has. */
    public int size() {
        return episodes.stream().mapToInt(episode -> episode.faults().size()).sum();
    }
}
