package dev.perigee.sim.group;

import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.sim.cluster.PlannedError;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a message does to every listener: most are fine, some fail a few times, some always, each in its own way. Drawn from
 * seed and body, so that a message has the same temper in all groups.
 *
 * @param failures how many tries fail
 * @param way how they fail
 */
record Temper(int failures, Way way) {
    private static final int ALWAYS = Integer.MAX_VALUE;
    private static final Temper GOOD = new Temper(0, Way.LATER);

    /** How a listener fails. */
    enum Way {
        LATER,
        NOTHING,
        EXCEPTION,
        ERROR
    }

    static Temper of(long seed, String body) {
        SplittableRandom random = new SplittableRandom(seed * 31 + body.hashCode());
        int dice = random.nextInt(100);
        Way way = Way.values()[random.nextInt(Way.values().length)];
        if (dice < 84) {
            return GOOD;
        }
        return new Temper(dice < 96 ? 1 + random.nextInt(2) : ALWAYS, way);
    }

    /** Whether a try fails after so many that failed. */
    boolean failsAfter(int failed) {
        return failed < failures;
    }

    /** Fails as planned. */
    @Nullable
    ConsumeResult fail() {
        return switch (way) {
            case LATER -> ConsumeResult.LATER;
            case NOTHING -> null;
            case EXCEPTION -> throw new IllegalStateException("planned");
            case ERROR -> throw new PlannedError("planned");
        };
    }
}
