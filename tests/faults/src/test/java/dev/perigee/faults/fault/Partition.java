package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import dev.perigee.faults.machine.Cable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** Nodes do not hear one another, while clients and NameServers reach all of them. */
final class Partition implements Fault {
    /** That one node does not hear another. */
    record Deaf(int hearer, int speaker) implements Comparable<Deaf> {
        @Override
        public int compareTo(Deaf other) {
            return hearer == other.hearer
                    ? Integer.compare(speaker, other.speaker)
                    : Integer.compare(hearer, other.hearer);
        }
    }

    /** Who is cut off from whom. */
    enum Shape {
        /** One node from all others. */
        ALONE,
        /** As many nodes as are no majority from the others. */
        HALVES,
        /** One node hears no other. */
        DEAF,
        /** One node is heard by no other. */
        MUTE,
        /** Every node hears its two neighbours only. */
        RING,
        /** The same without the link that closes the ring: of three nodes two do not hear each other. */
        CHAIN;

        /** Every pair that does not hear; {@code node} is one of those cut off. */
        Set<Deaf> of(int nodes, int node) {
            Set<Deaf> deaf = new TreeSet<>();
            int minority = Math.max(1, (nodes - 1) / 2);
            for (int a = 0; a < nodes; a++) {
                for (int b = 0; b < nodes; b++) {
                    int fromNodeA = Math.floorMod(a - node, nodes);
                    int fromNodeB = Math.floorMod(b - node, nodes);
                    boolean isCut = switch (this) {
                        case ALONE -> a == node || b == node;
                        case HALVES -> fromNodeA < minority != fromNodeB < minority;
                        case DEAF -> a == node;
                        case MUTE -> b == node;
                        case RING -> Math.floorMod(a - b, nodes) != 1 && Math.floorMod(b - a, nodes) != 1;
                        case CHAIN -> Math.abs(fromNodeA - fromNodeB) > 1;
                    };
                    if (isCut && a != b) {
                        deaf.add(new Deaf(a, b));
                    }
                }
            }
            return deaf;
        }

        /** One that cuts something: a ring of three is whole. */
        static Shape draw(int nodes, RandomGenerator random) {
            List<Shape> cutting = Arrays.stream(values())
                    .filter(shape -> !shape.of(nodes, 0).isEmpty())
                    .toList();
            return cutting.get(random.nextInt(cutting.size()));
        }
    }

    private final List<Node> nodes;
    private final Shape shape;
    private final int node;

    Partition(List<Node> nodes, int node, Shape shape) {
        this.nodes = nodes;
        this.node = node;
        this.shape = shape;
    }

    @Override
    public void start() throws IOException {
        Set<Deaf> deaf = shape.of(nodes.size(), node);
        for (int hearer = 0; hearer < nodes.size(); hearer++) {
            List<Cable> speakers = new ArrayList<>();
            for (Deaf pair : deaf) {
                if (pair.hearer() == hearer) {
                    speakers.add(nodes.get(pair.speaker()).cable());
                }
            }
            nodes.get(hearer).cable().hearNothingFrom(speakers);
        }
    }

    @Override
    public void heal() throws IOException {
        for (Node each : nodes) {
            each.cable().hearNothingFrom(List.of());
        }
    }

    @Override
    public String shape() {
        return shape.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return "Partition[" + shape + " of " + nodes.get(node) + "]";
    }
}
