package dev.perigee.group.peer;

import dev.perigee.loop.ThreadSafe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where one member may be: where the log says, where the settings of this process say, and where it says itself as a leader. One after
 * the other is tried, for any of them may be of before: addresses change while a group is down, and settings are not always changed
 * with the group.
 */
@ThreadSafe
public final class PeerAddresses {
    private final List<String> addresses = new ArrayList<>();
    /** How many of them are not what it said itself. */
    private final int known;
    /** Where somebody else was found. */
    private final Set<String> wrong = new HashSet<>();

    private int at;

    /**
     * The first one is tried first.
     *
     * @param first {@code host:port}
     * @param second another one; null when there is none
     */
    public PeerAddresses(String first, @Nullable String second) {
        addresses.add(first);
        if (second != null && !second.equals(first)) {
            addresses.add(second);
        }
        known = addresses.size();
    }

    /** The one to try now. */
    public synchronized String now() {
        return addresses.get(at);
    }

    /** Whether this is what it began with. */
    public synchronized boolean beginsWith(String address) {
        return addresses.get(0).equals(address);
    }

    /** It says itself that it is there; what it said before is forgotten. Nothing changes while it is reached. */
    public synchronized void said(String address) {
        if (address.isEmpty() || addresses.contains(address)) {
            return;
        }
        if (addresses.size() > known) {
            wrong.remove(addresses.remove(known));
        }
        addresses.add(address);
        at = Math.min(at, addresses.size() - 1);
    }

    /** Nobody was reached there, or nobody answers there any more: the next one is tried. */
    public synchronized void failed(String address) {
        wrong.remove(address);
        next(address);
    }

    /**
     * Somebody else is there: the next one is tried.
     *
     * @return whether it may be at another one; false when somebody else is at all of them
     */
    public synchronized boolean isElsewhere(String address) {
        wrong.add(address);
        next(address);
        return wrong.size() < addresses.size();
    }

    private void next(String address) {
        if (addresses.get(at).equals(address)) {
            at = (at + 1) % addresses.size();
        }
    }

    /** Whether there is one only. */
    public synchronized boolean isOne() {
        return addresses.size() == 1;
    }

    /** Whether somebody else was found at one of them, and it itself was not heard since. */
    public synchronized boolean isDoubtful() {
        return !wrong.isEmpty();
    }

    /** It was heard. */
    public synchronized void heard() {
        wrong.clear();
    }
}
