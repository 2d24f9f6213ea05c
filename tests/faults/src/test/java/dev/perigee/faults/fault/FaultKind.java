package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import dev.perigee.faults.machine.Cable.Direction;
import dev.perigee.faults.machine.NodeClock;
import dev.perigee.faults.machine.Volume.Ability;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** The faults there are; their figures are drawn at random. */
public enum FaultKind {
    KILL {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new Killed(nodes.get(index));
        }
    },
    SUSPEND {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new Suspended(nodes.get(index));
        }
    },
    UNPLUG {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new Unplugged(nodes.get(index));
        }
    },
    /** Everything one way, or a third to two thirds of it. */
    ONE_WAY_LOSS {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            Direction direction = random.nextBoolean() ? Direction.INCOMING : Direction.OUTGOING;
            return new OneWayLoss(nodes.get(index), direction, random.nextBoolean() ? 100 : random.nextInt(33, 67));
        }
    },
    /** 16 to 128 kB a second; the load is about 250. */
    SLOW_LINK {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new SlowLink(nodes.get(index), random.nextLong(16_000, 128_000));
        }
    },
    /** The others are nodes only: clients and NameServers reach all. */
    PARTITION {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new Partition(nodes, index, Partition.Shape.draw(nodes.size(), random));
        }

        @Override
        public boolean isPossible(List<Node> nodes) {
            return nodes.size() > 1
                    && nodes.stream().allMatch(node -> node.cable().knowsWhoSpeaks());
        }
    },
    RESET {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            Node node = nodes.get(index);
            return new Reset(node, nodes.stream().filter(other -> other != node).toList());
        }

        @Override
        public boolean isPossible(List<Node> nodes) {
            return PARTITION.isPossible(nodes);
        }
    },
    FULL_DISK {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new FullDisk(nodes.get(index));
        }

        @Override
        public boolean isPossible(List<Node> nodes) {
            return haveDisksThatCan(Ability.FILL, nodes);
        }
    },
    /** A minute to two hours, either way. */
    CLOCK_SHIFT {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            long seconds = random.nextLong(60, 7_200);
            return new ClockShift(nodes.get(index), Duration.ofSeconds(random.nextBoolean() ? seconds : -seconds));
        }

        @Override
        public boolean isPossible(List<Node> nodes) {
            return NodeClock.canShift();
        }
    },
    POWER_LOSS {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new PowerLoss(nodes.get(index));
        }

        @Override
        public boolean isPossible(List<Node> nodes) {
            return haveDisksThatCan(Ability.LOSE_POWER, nodes);
        }
    },
    /** The index says nothing: it is always the master that is gone. */
    PROMOTE {
        @Override
        public Fault on(List<Node> nodes, int index, RandomGenerator random) {
            return new Promoted(nodes);
        }

        @Override
        public boolean isPossible(List<Node> nodes) {
            return nodes.size() == 2;
        }
    };

    /** A fault of this kind; {@code index} is the node it happens to, or the first of several. */
    public abstract Fault on(List<Node> nodes, int index, RandomGenerator random);

    private static boolean haveDisksThatCan(Ability ability, List<Node> nodes) {
        return nodes.stream().allMatch(node -> node.volume().abilities().contains(ability));
    }

    /** Whether this machine can do that to these nodes. */
    public boolean isPossible(List<Node> nodes) {
        return true;
    }

    /** Whether a node may have both at a time. A node without power has no other worries, and operators promote in peace. */
    public boolean canOverlap(FaultKind other) {
        return this != other && !isAlone() && !other.isAlone();
    }

    private boolean isAlone() {
        return this == POWER_LOSS || this == PROMOTE;
    }

    /** The kinds of a list such as {@code kill,unplug}. */
    public static List<FaultKind> listOf(String names) {
        return Arrays.stream(names.split(","))
                .map(name -> valueOf(name.strip().toUpperCase(Locale.ROOT).replace('-', '_')))
                .toList();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
