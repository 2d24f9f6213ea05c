package dev.perigee.sim.fault;

import java.util.EnumSet;
import java.util.Set;

/** What can go wrong. What amount means stands behind each. */
public enum FaultKind {
    /** Connections between two processes close. */
    CUT(Where.ROAD, 8),
    /** Frames from one to another are lost: how many of a hundred. */
    LOSE(Where.ROAD, 6),
    /** Frames from one to another are late: by how many milliseconds at most. */
    DELAY(Where.ROAD, 6),
    /** Frames from one to another arrive twice: how many of a hundred. */
    DOUBLE(Where.ROAD, 5),
    /** Frames from one to another overtake each other: they take how many milliseconds at most. */
    OVERTAKE(Where.ROAD, 5),
    /** Nothing gets through between two. */
    PART(Where.ROAD, 6),
    /** Nothing gets through from one to another. */
    PART_ONE_WAY(Where.ROAD, 6),
    /** The process stands still. */
    FREEZE(Where.MACHINE, 5),
    /** The process is stopped in order and started later. */
    RESTART(Where.MACHINE, 5),
    /** The process is killed in the middle of an instant, after so many steps, and started later. */
    KILL(Where.MACHINE, 6),
    /** The machine loses power in the middle of an instant, after so many steps. */
    POWER_LOSS(Where.BROKER, 6),
    /** The process is killed in a call of its disk, after so many that change something. */
    KILL_IN_CALL(Where.BROKER, 6),
    /** The machine loses power in a call of its disk, after so many that change something. */
    POWER_LOSS_IN_CALL(Where.BROKER, 6),
    /** The wall clock jumps: by how many milliseconds. */
    CLOCK(Where.BROKER, 5),
    /** The next force fails. */
    FAIL_FORCE(Where.BROKER, 3),
    /** The next write fails. */
    FAIL_WRITE(Where.BROKER, 3),
    /** The disk is full. */
    FILL(Where.BROKER, 3),
    /** Nothing that is written reaches the disk: a force takes that long. */
    STALL(Where.BROKER, 5),
    /** The process is killed, and its views are lost with their files. */
    LOSE_VIEWS(Where.BROKER, 3),
    /** As LOSE_VIEWS, and one bit of the log is rotten, so many bytes below its end: nothing starts on it before it is mended. */
    ROT(Where.BROKER, 3),
    /** Bits of logs turn over on their way from one to another: in how many frames of a hundred. */
    GARBLE(Where.ROAD, 6),
    /** The process is killed, and starts with an empty disk. */
    WIPE(Where.SLAVE, 5),
    /**
     * The master goes away, in order, as a process or with its machine by amount; the slave is stopped and starts as the master, and the former
     * one as a slave later. Not drawn like the others.
     */
    PROMOTE(Where.SLAVE, 0),
    /** Another member of a group is to lead: this one, or whoever holds most when amount is odd. Drawn for groups alone. */
    TRANSFER(Where.BROKER, 0),
    /**
     * A member leaves its group, this one or the one that leads when amount is odd; it comes again with an empty disk, and gets a vote. Drawn
     * for groups alone.
     */
    REPLACE(Where.BROKER, 0),
    /** Nothing fails any more that has not failed yet; not drawn, but put where others must be over. */
    HEAL(Where.BROKER, 0);

    private static final Set<FaultKind> OF_REPLICAS = EnumSet.of(GARBLE, WIPE, PROMOTE, TRANSFER, REPLACE, HEAL);
    private static final Set<FaultKind> OF_GROUPS = EnumSet.of(TRANSFER, REPLACE);

    /** Where it happens. */
    enum Where {
        /** From one process to another, or between them. */
        ROAD,
        /** On any machine. */
        MACHINE,
        /** On the machine of a broker. */
        BROKER,
        /** On the machine of a slave. */
        SLAVE
    }

    private final Where where;
    private final int weight;

    FaultKind(Where where, int weight) {
        this.where = where;
        this.weight = weight;
    }

    /** What can go wrong where no broker has replicas. */
    public static Set<FaultKind> withoutReplicas() {
        return EnumSet.complementOf(EnumSet.copyOf(OF_REPLICAS));
    }

    /** What can go wrong with a master and its slaves. */
    public static Set<FaultKind> ofPairs() {
        return EnumSet.complementOf(EnumSet.copyOf(OF_GROUPS));
    }

    Where where() {
        return where;
    }

    /** How often it is drawn, beside the others. */
    int weight() {
        return weight;
    }
}
