package dev.perigee.sim.cluster;

/** A loop of a broker has thrown what stops a broker: something of its own did not hold. */
public final class BrokerStopsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokerStopsException(String machine, String loop, RuntimeException cause) {
        super(machine + ": " + loop + " fails: " + cause, cause);
    }
}
