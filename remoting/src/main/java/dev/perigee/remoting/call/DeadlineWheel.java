package dev.perigee.remoting.call;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of all calls that wait on one event loop. A wheel of {@value #SLOTS} slots of {@value #TICK_MS} ms; each
 * slot is a linked list, so that adding and removing cost the same however many calls wait. A call times out at the first
 * sweep after its deadline.
 */
@OwnedBy("event loop")
public final class DeadlineWheel {
    static final int NOWHERE = -1;
    private static final long TICK_MS = 20;
    private static final int SLOTS = 512;

    private final @Nullable PendingCall<?, ?>[] slots = new PendingCall<?, ?>[SLOTS];
    private final List<PendingCall<?, ?>> expired = new ArrayList<>();
    private long sweptTick;
    private int size;

    public DeadlineWheel(long nowMs) {
        this.sweptTick = Math.floorDiv(nowMs, TICK_MS);
    }

    /** When a sweep finds a call with this deadline expired: at the next edge of a tick, so that deadlines share sweeps. */
    public static long sweepTimeOf(long deadlineMs) {
        return (Math.floorDiv(deadlineMs, TICK_MS) + 1) * TICK_MS;
    }

    /**
     * Right after a sweep of a wheel that is not empty: a time not after the earliest deadline left, and not before the tick
     * that was swept last.
     */
    public long earliestMs() {
        for (long tick = sweptTick + 1; tick <= sweptTick + SLOTS; tick++) {
            if (slots[(int) (tick & (SLOTS - 1))] != null) {
                return tick * TICK_MS;
            }
        }
        throw new IllegalStateException("a wheel of " + size + " calls has no slot in use");
    }

    /** Whether no call waits. */
    public boolean isEmpty() {
        return size == 0;
    }

    void add(PendingCall<?, ?> call) {
        // a deadline in a tick already swept goes into the next one, so that it is not passed over for a whole turn
        long tick = Math.max(Math.floorDiv(call.deadline().endMs(), TICK_MS), sweptTick + 1);
        int slot = (int) (tick & (SLOTS - 1));
        PendingCall<?, ?> first = slots[slot];
        call.wheelSlot = slot;
        call.nextInSlot = first;
        call.previousInSlot = null;
        if (first != null) {
            first.previousInSlot = call;
        }
        slots[slot] = call;
        size++;
    }

    void remove(PendingCall<?, ?> call) {
        int slot = call.wheelSlot;
        if (slot == NOWHERE) {
            return;
        }
        PendingCall<?, ?> previous = call.previousInSlot;
        PendingCall<?, ?> next = call.nextInSlot;
        if (previous == null) {
            slots[slot] = next;
        } else {
            previous.nextInSlot = next;
        }
        if (next != null) {
            next.previousInSlot = previous;
        }
        call.wheelSlot = NOWHERE;
        call.previousInSlot = null;
        call.nextInSlot = null;
        size--;
    }

    /** Times out every call whose deadline has passed. */
    public void sweep(long nowMs) {
        long nowTick = Math.floorDiv(nowMs, TICK_MS);
        long from = Math.max(sweptTick, nowTick - SLOTS + 1);
        for (long tick = from; tick <= nowTick; tick++) {
            collectExpired((int) (tick & (SLOTS - 1)), nowMs);
        }
        sweptTick = Math.max(sweptTick, nowTick - 1); // the slot of this very tick is looked at again
        for (PendingCall<?, ?> call : expired) {
            PendingCalls table = call.table;
            if (table != null) { // an earlier one's continuation may have ended this one
                table.timeOut(call);
            }
        }
        expired.clear();
    }

    private void collectExpired(int slot, long nowMs) {
        for (PendingCall<?, ?> call = slots[slot]; call != null; call = call.nextInSlot) {
            if (call.deadline().endMs() - nowMs <= 0) {
                expired.add(call);
            }
        }
    }
}
