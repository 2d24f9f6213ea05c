package dev.perigee.sim.cluster;

/** A machine with one process of ours, which can be started again on what its disk holds. */
public interface Machine {
    /** How a process ends that nobody asked to. */
    enum End {
        /** The machine went dark: what was not forced is lost, or torn, or not. */
        POWER_LOST,
        /** The process was killed: what was written is there, but no more durable than before. */
        KILLED
    }

    /** What it is called; faults name it. */
    String name();

    /** Whether its process runs. */
    boolean isUp();

    /** Starts a process on what the disk holds. */
    void start() throws Exception;

    /** Ends the process in order, as far as its disk lets it. */
    void stop();

    /** Ends the process at once. */
    void end(End how);

    /** Its process stands still. */
    void freeze();

    /** Its process goes on. */
    void thaw();

    /** Sets its wall clock ahead, or back when negative. */
    void jump(long ms);
}
