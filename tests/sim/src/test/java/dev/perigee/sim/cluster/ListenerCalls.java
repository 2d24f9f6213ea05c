package dev.perigee.sim.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Where the members' listeners run. Most calls end at once, on the stepping thread; some are given a thread of their own,
 * on which they may {@linkplain SlowCall#take take their time}. Such a thread runs only while the stepping thread waits for
 * it, so that at any moment one thread runs, and always the same one for the same seed.
 */
public final class ListenerCalls {
    private record Waiting(Object member, Runnable call) {}

    private final TurnedClock clock;
    private final SplittableRandom random;
    private final Consumer<Error> threadEnded;
    private final List<Waiting> waiting = new ArrayList<>();
    private final PriorityQueue<SlowCall> slow =
            new PriorityQueue<>(Comparator.comparingLong(SlowCall::wakeMs).thenComparingLong(SlowCall::number));
    private long slowCallsMade;

    ListenerCalls(TurnedClock clock, SplittableRandom random, Consumer<Error> threadEnded) {
        this.clock = clock;
        this.random = random;
        this.threadEnded = threadEnded;
    }

    /**
     * The threads of one member.
     *
     * @param slowPercent calls of a hundred that get a thread of their own
     */
    public Executor of(Object member, int slowPercent) {
        return task -> {
            boolean isSlow = random.nextInt(100) < slowPercent;
            waiting.add(new Waiting(member, isSlow ? () -> begin(member, task) : task));
        };
    }

    private void begin(Object member, Runnable task) {
        SlowCall call = new SlowCall(slowCallsMade++, member, clock, task);
        call.start();
        goOn(call);
    }

    private void goOn(SlowCall call) {
        if (call.run()) {
            slow.add(call);
        } else {
            call.failure().ifPresent(this::ended);
        }
    }

    /** Begins some call that waits, or goes on with one whose time is over. False when there is none. */
    boolean runOne() {
        SlowCall due = slow.peek();
        if (due != null && due.wakeMs() <= clock.monotonicMs()) {
            slow.remove();
            goOn(due);
            return true;
        }
        if (waiting.isEmpty()) {
            return false;
        }
        Runnable call = waiting.remove(random.nextInt(waiting.size())).call;
        try {
            call.run();
        } catch (PlannedError e) {
            ended(e);
        }
        return true;
    }

    /** What a listener throws ends its thread; anything else is a defect of ours. */
    private void ended(Error failure) {
        if (!(failure instanceof PlannedError)) {
            throw failure;
        }
        threadEnded.accept(failure);
    }

    /** A member's process is gone, its calls with it. */
    public void vanish(Object member) {
        waiting.removeIf(call -> call.member.equals(member));
        for (SlowCall call : List.copyOf(slow)) {
            if (call.member().equals(member)) {
                slow.remove(call);
                call.vanish();
            }
        }
    }

    /** All processes are gone. */
    public void vanishAll() {
        waiting.clear();
        for (SlowCall call = slow.poll(); call != null; call = slow.poll()) {
            call.vanish();
        }
    }

    /** When a call goes on by itself, in monotonic milliseconds. */
    long nextDeadlineMs() {
        SlowCall next = slow.peek();
        return next == null ? Long.MAX_VALUE : next.wakeMs();
    }
}
