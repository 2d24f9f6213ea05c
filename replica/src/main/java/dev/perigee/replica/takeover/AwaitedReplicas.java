package dev.perigee.replica.takeover;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.LogFacts;
import dev.perigee.store.epoch.LogExtent;
import dev.perigee.store.epoch.ReplicaSet;
import dev.perigee.store.log.CommitLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Whom a master that starts must hear, and to whom it gives time: those that its log names, and those that say that they have more. */
@OwnedBy("event loop 0")
final class AwaitedReplicas {
    /** For so long one may break off again and again without anything having come. */
    private static final long MAX_FRUITLESS_MS = 60_000;

    /**
     * One that may have more, and whose connection is gone.
     *
     * @param logEnd where the own log ended then
     * @param endSinceMs when it broke off first while that was so
     */
    private record BrokenOff(AskedReplica replica, long sinceMs, long logEnd, long endSinceMs) {}

    private final LogFacts facts;
    private final CommitLog log;
    private final boolean mayHaveLost;
    private final Map<InSyncMember, BrokenOff> brokenOff = new LinkedHashMap<>();
    /** Ids of brokers that say that they have more, whatever the log names. */
    private List<Long> farther = List.of();

    /** @param mayHaveLost whether the own log may lack what was acknowledged */
    AwaitedReplicas(LogFacts facts, CommitLog log, boolean mayHaveLost) {
        this.facts = facts;
        this.log = log;
        this.mayHaveLost = mayHaveLost;
    }

    /** Names the ids of those that say that they have more. Before anybody is waited for. */
    void farther(List<Long> brokerIds) {
        farther = List.copyOf(brokerIds);
    }

    /** Whether there is nobody to wait for. */
    boolean isEmpty() {
        return named().isEmpty() && namedBefore().isEmpty() && farther.isEmpty();
    }

    /** Whom the log names in sync, this node aside. */
    List<InSyncMember> named() {
        return others(log.endOffset()).map(ReplicaSet::members).orElse(List.of());
    }

    /** The set that the log names below an offset, without this node, which it names when it was a replica before. */
    Optional<ReplicaSet> others(long endOffset) {
        return log.replicaSet(endOffset).map(set -> new ReplicaSet(withoutSelf(set.members()), set.factEnd()));
    }

    /** Those who must be heard and were not. */
    List<InSyncMember> missing(List<AskedReplica> asked) {
        List<InSyncMember> missing = new ArrayList<>(named());
        missing.removeIf(member -> isHeardOrReplaced(member, asked));
        farther.stream()
                .filter(id ->
                        asked.stream().noneMatch(replica -> replica.hello().brokerId() == id))
                .forEach(id -> missing.add(new InSyncMember(id, "unknown")));
        gone(asked)
                .map(one -> one.replica().member())
                .filter(member -> !missing.contains(member))
                .forEach(missing::add);
        return missing;
    }

    /** The connection of one is gone, of which it is not known that it has nothing: it is waited for anew. */
    void brokeOff(AskedReplica replica, long nowMs) {
        BrokenOff before = brokenOff.get(replica.member());
        long end = log.endOffset();
        long endSinceMs = before != null && before.logEnd() == end ? before.endSinceMs() : nowMs;
        brokenOff.put(replica.member(), new BrokenOff(replica, nowMs, end, endSinceMs));
    }

    /** Whether somebody who may have more broke off after that time and has not come again; one of which nothing came for a minute is not counted. */
    boolean expectsAgain(List<AskedReplica> asked, long sinceMs) {
        return gone(asked)
                .anyMatch(one -> one.sinceMs() > sinceMs && one.sinceMs() - one.endSinceMs() <= MAX_FRUITLESS_MS);
    }

    /** Whether somebody who may have more broke off and has not come again. */
    boolean lacksSomebody(List<AskedReplica> asked) {
        return gone(asked).findAny().isPresent();
    }

    /** Those who broke off, may have more than the log has by now, and did not come again; nor did their broker with an emptied folder. */
    private Stream<BrokenOff> gone(List<AskedReplica> asked) {
        LogExtent own = log.extent();
        return brokenOff.values().stream()
                .filter(one -> one.replica().mayHaveMoreThan(own))
                .filter(one -> asked.stream().noneMatch(replica -> isThere(replica, one.replica())));
    }

    private static boolean isThere(AskedReplica replica, AskedReplica before) {
        boolean wasEmptied = replica.hello().brokerId() == before.hello().brokerId() && !replica.hasLog();
        return replica.member().equals(before.member()) || wasEmptied;
    }

    /** Whether those were heard who are given time and no more. */
    boolean areOthersHeard(List<AskedReplica> asked) {
        return namedBefore().stream().allMatch(member -> isHeardOrReplaced(member, asked));
    }

    /**
     * Whom the log names in the set before the last, where this log may have lost its end: that set counted until the last one did, and
     * which of them did is not in the log (R11).
     */
    private List<InSyncMember> namedBefore() {
        return mayHaveLost
                ? withoutSelf(log.replicaSetBefore(log.endOffset())
                        .map(ReplicaSet::members)
                        .orElse(List.of()))
                : List.of();
    }

    private List<InSyncMember> withoutSelf(List<InSyncMember> members) {
        String self = facts.answer().nodeId();
        return members.stream().filter(member -> !member.nodeId().equals(self)).toList();
    }

    private boolean isHeardOrReplaced(InSyncMember member, List<AskedReplica> asked) {
        return asked.stream()
                .anyMatch(replica -> replica.member().equals(member)
                        || (!mayHaveLost
                                && replica.hello().brokerId() == member.brokerId()
                                && replica.connection().isOpen()));
    }
}
