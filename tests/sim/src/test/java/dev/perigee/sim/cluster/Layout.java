package dev.perigee.sim.cluster;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Which machines a cluster has.
 *
 * @param nameServers how many name servers
 * @param brokers a machine for each
 * @param tellsMasters whether slaves are told where their master is, and ask no name server
 */
public record Layout(int nameServers, List<Seat> brokers, boolean tellsMasters) {
    /** One of each. */
    public static final Layout SMALLEST = of(1, 1);

    private static final int COPIES_OF_A_PAIR = 2;
    private static final String NAMES = "abcdefgh";

    /** What a broker does for the copies of its log. */
    public enum Role {
        /** It has none. */
        ALONE,
        ASYNC_MASTER,
        SYNC_MASTER,
        SLAVE,
        /** One of a group that elects its master. */
        MEMBER
    }

    /**
     * The place of a broker.
     *
     * @param brokerName what clients know it by
     * @param brokerId 0 for the one that may append
     * @param forces whether it answers for what it has forced, and not for what it has written
     * @param copies how many there must be, this broker's among them, before a synchronous master calls a message acknowledged; where that
     *     is more than two it stores nothing without two
     */
    public record Seat(String brokerName, long brokerId, Role role, boolean forces, int copies) {
        /** A place whose copies are those every pair has. */
        Seat(String brokerName, long brokerId, Role role, boolean forces) {
            this(brokerName, brokerId, role, forces, COPIES_OF_A_PAIR);
        }

        /** The name of the machine. */
        public String machine() {
            return brokerId == 0 ? brokerName : brokerName + "." + brokerId;
        }

        /** The same broker in the part that another one of its name plays. */
        Seat inPlaceOf(Seat other) {
            return new Seat(brokerName, other.brokerId, other.role, forces, other.copies);
        }

        /** A broker with the same log that replicates with nobody. */
        Seat alone() {
            return new Seat(brokerName, 0, Role.ALONE, forces);
        }
    }

    /**
     * How a master and its slaves guard messages.
     *
     * @param waits whether the master waits for slaves
     * @param masterForces whether the master waits for its own disk
     * @param slavesForce whether slaves wait for theirs before they say that they hold something
     */
    public record Guard(boolean waits, boolean masterForces, boolean slavesForce) {
        /** A synchronous master with synchronous flush everywhere. */
        public static final Guard STRICT = new Guard(true, true, true);

        /** Whether nothing that was acknowledged depends on memory. */
        public boolean forces() {
            return masterForces && slavesForce;
        }
    }

    /** So many name servers, and brokers of different names. */
    public static Layout of(int nameServers, int brokers) {
        return new Layout(
                nameServers,
                IntStream.range(0, brokers)
                        .mapToObj(i -> new Seat("broker-" + NAMES.charAt(i), 0, Role.ALONE, true))
                        .toList(),
                false);
    }

    /** So many name servers, and a master with slaves of ids 1, 2 and so on. */
    public static Layout replicated(int nameServers, int slaves, Guard guard) {
        Role role = guard.waits() ? Role.SYNC_MASTER : Role.ASYNC_MASTER;
        Stream<Seat> master = Stream.of(new Seat("broker-a", 0, role, guard.masterForces()));
        Stream<Seat> others = LongStream.rangeClosed(1, slaves)
                .mapToObj(id -> new Seat("broker-a", id, Role.SLAVE, guard.slavesForce()));
        return new Layout(nameServers, Stream.concat(master, others).toList(), false);
    }

    /** So many name servers, and a group of so many that elects its master; their ids are those they have while they do not lead. */
    public static Layout group(int nameServers, int members, boolean forces) {
        return new Layout(
                nameServers,
                LongStream.rangeClosed(1, members)
                        .mapToObj(id -> new Seat("broker-a", id, Role.MEMBER, forces))
                        .toList(),
                false);
    }

    /** Whether the brokers are a group that elects its master. */
    public boolean isGroup() {
        return brokers.stream().anyMatch(seat -> seat.role() == Role.MEMBER);
    }

    /** The same, but slaves are told where their master is. */
    public Layout tellingMasters() {
        return new Layout(nameServers, brokers, true);
    }

    /** The same, but every slave must have a message before it is acknowledged. */
    public Layout withCopiesEverywhere() {
        return new Layout(
                nameServers,
                brokers.stream()
                        .map(seat -> new Seat(seat.brokerName, seat.brokerId, seat.role, seat.forces, brokers.size()))
                        .toList(),
                tellsMasters);
    }

    /** Which of the brokers is the master of one, itself when it is none's slave. */
    int masterOf(Seat seat) {
        for (int i = 0; i < brokers.size(); i++) {
            Seat other = brokers.get(i);
            if (other.brokerId() == 0 && other.brokerName().equals(seat.brokerName())) {
                return i;
            }
        }
        throw new IllegalArgumentException(seat + " has no master");
    }

    /** The names of the name servers' machines. */
    public List<String> nameServerNames() {
        return IntStream.rangeClosed(1, nameServers).mapToObj(i -> "ns-" + i).toList();
    }

    /** The names of the brokers' machines. */
    public List<String> brokerNames() {
        return brokers.stream().map(Seat::machine).toList();
    }
}
