package dev.perigee.raft.sim;

import java.util.SplittableRandom;

/**
 * How rough a run is.
 *
 * @param faultEveryMs between two faults, on average
 * @param lossPercent of all frames
 * @param doublePercent of all frames
 * @param latePercent of all frames, by up to an election timeout
 * @param windowUnits units in one frame of the stream
 * @param forceMs the longest that the disk takes
 * @param healOf one of so many faults also heals the network
 * @param leadersFall whether half of the faults take down whoever leads, or stood last
 */
record Temper(
        int faultEveryMs,
        int lossPercent,
        int doublePercent,
        int latePercent,
        int windowUnits,
        int forceMs,
        int healOf,
        boolean leadersFall) {
    static Temper of(SplittableRandom chance) {
        if (chance.nextInt(3) == 0) {
            return new Temper(25 + chance.nextInt(60), chance.nextInt(10), 0, 2, 1, 10 + chance.nextInt(30), 1, true);
        }
        boolean storm = chance.nextInt(3) != 0;
        return new Temper(
                storm ? 20 + chance.nextInt(60) : 150,
                storm ? chance.nextInt(25) : chance.nextInt(3) * 4,
                chance.nextInt(2) * 5,
                storm ? chance.nextInt(20) : 5,
                storm ? 1 + chance.nextInt(4) : 8,
                storm && chance.nextBoolean() ? 60 : 12,
                storm ? 2 : 3,
                false);
    }
}
