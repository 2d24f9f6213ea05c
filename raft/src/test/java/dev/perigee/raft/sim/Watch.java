package dev.perigee.raft.sim;

import dev.perigee.raft.RaftNode;
import dev.perigee.raft.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The five safety properties of Raft figure 3, and that what was acknowledged is confirmed, looked at after every event that can break one. */
final class Watch {
    /** One of them does not hold. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Broken(String text) {
            super(text);
        }
    }

    private record Place(long end, int epoch, long epochId) {}

    private final Map<Integer, String> leaders = new HashMap<>();
    private final Map<Place, Long> prefixes = new HashMap<>();
    private final TreeMap<Long, Unit> confirmed = new TreeMap<>();
    /** For each term the farthest unit that its leader confirmed. */
    private final TreeMap<Integer, Unit> confirmedIn = new TreeMap<>();

    private final Map<Long, Long> acknowledged = new HashMap<>();
    private final boolean mayLose;
    private boolean lossAllowed;
    private int elections;

    /** @param mayLose whether a majority may forget, by its flush policy */
    Watch(boolean mayLose) {
        this.mayLose = mayLose;
    }

    /** A majority forgot under asynchronous flush, and the group said so: what was confirmed may differ from now on. */
    void possibleLoss() {
        check(mayLose, () -> "a group that forces what it answers for says that it may have lost something");
        lossAllowed = true;
    }

    boolean hasLost() {
        return lossAllowed;
    }

    int elections() {
        return elections;
    }

    int acknowledged() {
        return acknowledged.size();
    }

    /** Election safety; and leader completeness: a leader has all that was confirmed in earlier terms. */
    void leads(String node, RaftNode raft, SimLog log) {
        elections++;
        String before = leaders.putIfAbsent(raft.term(), node);
        check(before == null, () -> "two leaders of term " + raft.term() + ": " + before + " and " + node);
        Map.Entry<Integer, Unit> last = confirmedIn.lowerEntry(raft.term());
        for (; last != null && !lossAllowed; last = confirmedIn.lowerEntry(last.getKey())) {
            Unit needed = last.getValue();
            int at = log.indexBehind(needed.end() - 1);
            boolean has = at < log.size() && log.get(at).prefix() == needed.prefix();
            int term = last.getKey();
            check(
                    has,
                    () -> "leader " + node + " of term " + raft.term() + " lacks what was confirmed in term " + term
                            + " up to " + needed.end() + ": its log ends at " + log.logEnd());
        }
    }

    /**
     * R32: who still answers as a leader does so at most for the first election timeout of a later one, in which that one gives no locks and
     * tells no positions; and once that one has heard of all others it takes no questions: it was removed, and has handed over.
     */
    void answer(List<Machine> leaders) {
        for (Machine one : leaders) {
            for (Machine other : leaders) {
                check(
                        lossAllowed
                                || one.equals(other)
                                || (Math.min(one.ledForMs(), other.ledForMs()) <= Machine.ELECTION_MS
                                        && !(later(one, other).isKnownToAll()
                                                && earlier(one, other).admits())),
                        () -> one.id() + ", which leads for " + one.ledForMs() + " ms, and " + other.id()
                                + ", which leads for " + other.ledForMs() + " ms, both answer as leaders");
            }
        }
    }

    private static Machine later(Machine one, Machine other) {
        return one.term() > other.term() ? one : other;
    }

    private static Machine earlier(Machine one, Machine other) {
        return one.term() > other.term() ? other : one;
    }

    /** Log matching: where two logs have a unit of one epoch at one place, all before it is the same. */
    void written(String node, Unit unit) {
        Long before = prefixes.putIfAbsent(new Place(unit.end(), unit.epoch(), unit.epochId()), unit.prefix());
        check(
                before == null || before == unit.prefix(),
                () -> "the log of " + node + " differs before " + unit.end() + " of epoch " + unit.epoch());
    }

    /** Leader append-only. */
    void cut(String node, RaftNode raft, long endOffset) {
        check(raft.role().kind() != Role.Kind.LEADER, () -> "the leader " + node + " cut its log to " + endOffset);
    }

    /** State machine safety: nobody confirms another unit at the same place. */
    void confirmed(String node, Unit unit, boolean byLeader, int term) {
        if (lossAllowed) {
            return;
        }
        Unit known = confirmed.putIfAbsent(unit.end(), unit);
        check(
                known == null || known.prefix() == unit.prefix(),
                () -> node + " confirmed another unit up to " + unit.end() + " than was confirmed before");
        if (known == null) {
            Map.Entry<Long, Unit> before = confirmed.lowerEntry(unit.end());
            check(
                    before == null || before.getValue().end() == unit.start(),
                    () -> node + " confirmed " + unit + " behind " + before);
        }
        if (byLeader) {
            confirmedIn.merge(term, unit, (one, other) -> one.end() > other.end() ? one : other);
        }
    }

    /** No false success (R2): what a client was told to be stored is confirmed where it was put. */
    void acknowledged(String node, long id, long end) {
        Unit there = confirmed.get(end);
        check(
                lossAllowed || (there != null && there.id() == id),
                () -> node + " acknowledged " + id + " at " + end + ", where " + there + " is confirmed");
        acknowledged.put(id, end);
    }

    private static void check(boolean holds, Supplier<String> text) {
        if (!holds) {
            throw new Broken(text.get());
        }
    }
}
