package dev.perigee.sim.invariant;

import dev.perigee.sim.ledger.Call;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Remains;
import dev.perigee.sim.ledger.Verdict;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A member of a broadcasting group that was there from the beginning to the end was given every acknowledged message. */
public final class BroadcastReachesAll implements Invariant {
    private final Ledger ledger;
    private final Verdict verdict;
    private final Map<String, Set<String>> given = new TreeMap<>();
    private final Set<String> present = new TreeSet<>();

    public BroadcastReachesAll(Ledger ledger, Verdict verdict) {
        this.ledger = ledger;
        this.verdict = verdict;
    }

    @Override
    public void joined(Group group, String member) {
        if (!group.isClustering()) {
            present.add(member);
        }
    }

    @Override
    public void left(Group group, String member) {
        present.remove(member);
    }

    @Override
    public void begun(Call call) {
        Set<String> bodies = given.computeIfAbsent(call.member(), ignored -> new TreeSet<>());
        call.messages().forEach(seen -> bodies.add(seen.body()));
    }

    @Override
    public void over(Remains remains) {
        present.forEach(member -> {
            Set<String> missing = missing(member);
            if (!missing.isEmpty()) {
                verdict.broken(getClass(), member + " was never given " + missing);
            }
        });
    }

    /** Whether all that are present were given everything. */
    public boolean isComplete() {
        return present.stream().allMatch(member -> missing(member).isEmpty());
    }

    private Set<String> missing(String member) {
        Set<String> missing = new TreeSet<>(ledger.acknowledgedBodies());
        missing.removeAll(given.getOrDefault(member, Set.of()));
        return missing;
    }
}
