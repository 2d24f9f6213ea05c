package dev.perigee.broker.member;

import dev.perigee.loop.ThreadSafe;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * Requests that are on their way to a leader. What does not come back from one that leads no more is given up, and when nothing else is on its
 * way there, the connection ends, for what was given up waits on it with its bytes.
 */
@ThreadSafe
final class ForwardedFlights {
    /** What was sent to a leader so long ago, while another one leads now, has no answer to come: that one stands still, or is cut off. */
    static final long SILENT_MS = 1_000;

    /** Between two looks at those. */
    private static final long LOOK_MS = 50;

    /** By the numbers of the calls. */
    private final Map<Long, Flight<?, ?>> flights = new ConcurrentSkipListMap<>();

    private final Consumer<String> close;
    /** Something may be on its way to one that does not lead any more. */
    private volatile boolean strays;

    // view loop only
    private final Set<String> silent = new TreeSet<>();
    private String lastLeader = "";
    private long strayMs = Long.MIN_VALUE;

    /**
     * None yet.
     *
     * @param close ends the connection to an address; all that waits on it fails
     */
    ForwardedFlights(Consumer<String> close) {
        this.close = close;
    }

    /** One on its way. */
    static final class Flight<Q extends Record, R extends Record> {
        private final ForwardedCall<Q, R> call;
        private final String address;
        private final long sentMs;

        Flight(ForwardedCall<Q, R> call, String address, long sentMs) {
            this.call = call;
            this.address = address;
            this.sentMs = sentMs;
        }

        ForwardedCall<Q, R> call() {
            return call;
        }

        String address() {
            return address;
        }

        long sentMs() {
            return sentMs;
        }
    }

    /** What is to be done with one that was given up. */
    interface GivenUp {
        /**
         * On the view loop.
         *
         * @param leads where the one listens that leads now
         */
        void accept(Flight<?, ?> flight, String leads);
    }

    /** One sets out. Any thread. */
    void begin(Flight<?, ?> flight) {
        flights.put(flight.call().number, flight);
    }

    /** Its leader is another one by now, and that may have been seen already. Any thread. */
    void mayBeStray() {
        strays = true;
    }

    /** One comes back; false when it was given up. Any thread. */
    boolean end(Flight<?, ?> flight) {
        return flights.remove(flight.call().number, flight); // the same call may be on another one by now
    }

    /**
     * Gives up what will not come back. On the view loop.
     *
     * @param leads where the leader listens; empty while nobody is known
     * @return how many
     */
    int endStrays(String leads, long nowMs, GivenUp givenUp) {
        if (leads.isEmpty()) {
            return 0;
        }
        if (!leads.equals(lastLeader)) {
            lastLeader = leads;
            silent.remove(leads);
            strays = true;
            strayMs = nowMs;
        }
        if (!strays || nowMs < strayMs) {
            return 0;
        }
        strays = false; // before the look: whoever is late says so
        int ended = 0;
        long nextMs = Long.MAX_VALUE;
        Set<String> awaited = new TreeSet<>();
        for (Flight<?, ?> flight : flights.values()) {
            if (flight.address().equals(leads)) {
                continue;
            }
            if (nowMs - flight.sentMs() < SILENT_MS) {
                nextMs = Math.min(nextMs, flight.sentMs() + SILENT_MS);
                awaited.add(flight.address());
            } else if (end(flight)) {
                silent.add(flight.address());
                givenUp.accept(flight, leads);
                ended++;
            }
        }
        if (nextMs != Long.MAX_VALUE) {
            strays = true;
            strayMs = Math.max(nextMs, nowMs + LOOK_MS);
        }
        closeSilent(awaited);
        return ended;
    }

    private void closeSilent(Set<String> awaited) {
        silent.removeIf(address -> {
            boolean isOver = !awaited.contains(address);
            if (isOver) {
                close.accept(address);
            }
            return isOver;
        });
    }

    /** When to look again; {@link Long#MAX_VALUE} for not by itself. On the view loop. */
    long nextDeadlineMs() {
        return strays ? strayMs : Long.MAX_VALUE;
    }
}
