package dev.perigee.broker.lock;

import dev.perigee.broker.client.ForwardedClient;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * By which way each client of a group last spoke of its locks, in a group of brokers. What another member hands over may have been on its way
 * for long, while its client went on by another way, or left: such a word about locks is late, and gives up and takes nothing. No clock says
 * so, for a member that stood still does not know how long something waited there: what comes from the client itself is newer than what comes
 * by way of a member; and over one connection to a member the higher number is (ADR 0015).
 */
@ThreadSafe
public final class LockWays {
    /** No member keeps a request for so long: afterwards a client may take locks by way of another member. */
    static final long LATE_MS = 15_000;

    /** As long as a lock lives that was taken with a word, or renewed by a late one. */
    static final long KEPT_MS = QueueLocks.LIFE_MS + LATE_MS;

    /** Clients that are remembered, with each of their groups; what more say of their locks is never late. */
    static final int MAX_CLIENTS = 500_000;

    private static final String ITSELF = "";

    /** What a client wants of its locks. */
    enum Wish {
        TAKE,
        GIVE_UP
    }

    /** What a client says. */
    record Word(String group, String clientId, Wish wish, Connection from) {}

    /** What is done about a word, while no other one of its client is looked at. */
    interface Act<T> {
        /** @param isLate whether the client may have said something else since */
        T done(boolean isLate);
    }

    private record Client(String group, String id) {}

    /**
     * @param address where the connection begins over which it came to a member that handed it over; {@link #ITSELF} where none did
     * @param number the how manieth of that member
     */
    private record Last(String address, long number, long atMs) {
        static Last of(Connection from, long nowMs) {
            return from instanceof ForwardedClient client
                    ? new Last(client.remoteAddress(), client.number(), nowMs)
                    : new Last(ITSELF, 0, nowMs);
        }

        boolean isLateAfter(Last before, Wish wish) {
            if (address.equals(ITSELF)) {
                return false;
            }
            if (address.equals(before.address)) {
                return number < before.number;
            }
            // to refuse a lock for longer would stop a client that has changed its way
            return wish == Wish.GIVE_UP || atMs - before.atMs < LATE_MS;
        }
    }

    private final ConcurrentHashMap<Client, Last> words = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Client, Long> gone = new ConcurrentHashMap<>();

    /** Looks whether a word is late, and does something about it; remembers it where it is not. */
    <T> T say(Word word, long nowMs, Act<T> act) {
        Client client = new Client(word.group(), word.clientId());
        if (words.size() >= MAX_CLIENTS && !words.containsKey(client)) {
            return act.done(false);
        }
        List<T> done = new ArrayList<>(1);
        words.compute(client, (same, before) -> {
            Last now = Last.of(word.from(), nowMs);
            boolean isLate = before != null && nowMs - before.atMs() <= KEPT_MS && now.isLateAfter(before, word.wish());
            done.add(act.done(isLate));
            return isLate ? before : now;
        });
        return done.get(0);
    }

    /** A client has left a group, or its connection to this broker is closed; and no other one of its name is there. */
    public void left(String group, String clientId, long nowMs) {
        if (gone.size() < MAX_CLIENTS) {
            gone.put(new Client(group, clientId), nowMs);
        }
    }

    /** Whether a client left lately: what it wanted before may come by way of another member. Of one that came again it is not asked. */
    boolean hasLeft(Word word, long nowMs) {
        Long leftMs = gone.get(new Client(word.group(), word.clientId()));
        return leftMs != null && nowMs - leftMs <= KEPT_MS;
    }

    /** This broker begins to grant locks, or ceases to: what was said of those of before does not count. Who has left is gone all the same. */
    void beginAnew() {
        words.clear();
    }

    /** Forgets what counts no more. */
    void sweep(long nowMs) {
        words.values().removeIf(last -> nowMs - last.atMs() > KEPT_MS);
        gone.values().removeIf(leftMs -> nowMs - leftMs > KEPT_MS);
    }

    /** How many words, and how many that left, are remembered. */
    int count() {
        return words.size() + gone.size();
    }
}
