package dev.perigee.sim.cluster;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Which machines a cluster has.
 *
 * @param nameServers how many name servers
 * @param brokers a machine for each
 */
public record Layout(int nameServers, List<Seat> brokers) {
    /** One of each. */
    public static final Layout SMALLEST = of(1, 1);

    private static final String NAMES = "abcdefgh";

    /**
     * The place of a broker.
     *
     * @param brokerName what clients know it by
     * @param brokerId 0 for the one that may append
     */
    public record Seat(String brokerName, long brokerId) {
        /** The name of the machine. */
        public String machine() {
            return brokerId == 0 ? brokerName : brokerName + "." + brokerId;
        }
    }

    /** So many name servers, and brokers of different names. */
    public static Layout of(int nameServers, int brokers) {
        return new Layout(
                nameServers,
                IntStream.range(0, brokers)
                        .mapToObj(i -> new Seat("broker-" + NAMES.charAt(i), 0))
                        .toList());
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
