package dev.perigee.sim.fault;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Plans in which one node of a master and its slaves fails at a time: several things may go wrong with it and its cables at once, but
 * all of that is over, and the others have had the time to become level with it again, before another one is hit.
 */
public final class OneAtATime {
    /** So much later everything about a node is over: what lasts longest begins last. */
    static final long EPISODE_MS = 2_500;

    /** So long at least nothing happens before the next one: a start, a new connection, and what was missed. */
    static final long RECOVERY_MS = 5_000;

    private static final int BEGIN_MS = 1_000;
    private static final int LONGEST_MS = 1_400;
    private static final int LONGEST_DELAY_MS = 100;
    private static final int MORE_RECOVERY_MS = 1_000;
    private static final int MOST_EVENTS = 3;
    /** Of so many failures of a master one ends with another master. */
    private static final int FAILURES_A_PROMOTION = 3;
    /** So much longer than a start it takes until a new master has found its slaves, and they it. */
    private static final int PROMOTION_MS = 8_000;

    private OneAtATime() {}

    /** Draws events of some kinds between two times. */
    public static FaultPlan draw(long seed, FaultPlan.Cast cast, Set<FaultKind> kinds, long fromMs, long toMs) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E37_79B9L + 2);
        List<FaultEvent> events = new ArrayList<>();
        long atMs = fromMs;
        FaultPlan.Cast now = cast;
        while (atMs + EPISODE_MS <= toMs) {
            String node = cast.brokers().get(random.nextInt(cast.brokers().size()));
            boolean isMaster = !now.slaves().isEmpty() && !now.slaves().contains(node);
            episode(random, new Victim(node, now), kinds, atMs, events);
            if (kinds.contains(FaultKind.PROMOTE) && isMaster && random.nextInt(FAILURES_A_PROMOTION) == 0) {
                now = promoted(random, now, node, atMs, events);
                atMs += PROMOTION_MS;
            }
            atMs += EPISODE_MS + RECOVERY_MS + random.nextInt(MORE_RECOVERY_MS);
        }
        return new FaultPlan(events);
    }

    /** The master that fails is not the master any more: a slave is. */
    private static FaultPlan.Cast promoted(
            SplittableRandom random, FaultPlan.Cast cast, String master, long atMs, List<FaultEvent> events) {
        String next = cast.slaves().get(random.nextInt(cast.slaves().size()));
        events.add(new FaultEvent(
                atMs + random.nextInt(BEGIN_MS),
                FaultKind.PROMOTE,
                next,
                master,
                1L + random.nextInt(LONGEST_MS),
                FaultPlan.amount(random, FaultKind.PROMOTE)));
        List<String> slaves = new ArrayList<>(cast.brokers());
        slaves.remove(next);
        return new FaultPlan.Cast(cast.nameServers(), cast.brokers(), slaves, cast.clients());
    }

    /** Whether that is so in a plan, which may have been made otherwise: nobody but one of these nodes fails before it is healed. */
    public static boolean holds(FaultPlan plan, List<String> nodes) {
        List<String> failing = new ArrayList<>(nodes);
        long wellMs = Long.MIN_VALUE;
        for (FaultEvent event : plan.events()) {
            failing.removeIf(node -> !node.equals(event.on()) && !node.equals(event.other()));
            if (failing.isEmpty() || event.atMs() < wellMs) {
                return false;
            }
            if (event.kind() == FaultKind.HEAL) {
                failing = new ArrayList<>(nodes);
                wellMs = event.atMs() + RECOVERY_MS;
            }
        }
        return true;
    }

    /** The one that fails, and who else there is. */
    private record Victim(String node, FaultPlan.Cast cast) {
        FaultEvent road(SplittableRandom random, FaultEvent event) {
            List<String> others = new ArrayList<>(cast.brokers());
            others.remove(node);
            String other = others.get(random.nextInt(others.size()));
            boolean out = random.nextBoolean();
            return new FaultEvent(
                    event.atMs(),
                    event.kind(),
                    out ? node : other,
                    out ? other : node,
                    event.lastsMs(),
                    event.amount());
        }
    }

    /** What is late is not late for longer than the rest lasts. */
    private static long amount(SplittableRandom random, FaultKind kind) {
        long amount = FaultPlan.amount(random, kind);
        return kind == FaultKind.DELAY ? 1 + amount % LONGEST_DELAY_MS : amount;
    }

    private static void episode(
            SplittableRandom random, Victim victim, Set<FaultKind> kinds, long atMs, List<FaultEvent> events) {
        int count = 1 + random.nextInt(MOST_EVENTS);
        EnumSet<FaultKind> possible = EnumSet.copyOf(kinds);
        possible.removeIf(kind ->
                kind.where() == FaultKind.Where.SLAVE && !victim.cast.slaves().contains(victim.node));
        for (int i = 0; i < count; i++) {
            FaultKind kind = FaultPlan.kind(random, possible);
            long lastsMs = 1L + random.nextInt(LONGEST_MS);
            FaultEvent event = new FaultEvent(
                    atMs + random.nextInt(BEGIN_MS),
                    kind,
                    victim.node,
                    FaultEvent.NOBODY,
                    lastsMs,
                    amount(random, kind));
            events.add(kind.where() == FaultKind.Where.ROAD ? victim.road(random, event) : event);
        }
        events.add(new FaultEvent(atMs + EPISODE_MS, FaultKind.HEAL, victim.node, FaultEvent.NOBODY, 0, 0));
    }
}
