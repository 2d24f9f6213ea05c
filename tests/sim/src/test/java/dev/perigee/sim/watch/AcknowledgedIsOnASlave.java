package dev.perigee.sim.watch;

import dev.perigee.protocol.fact.ReplicasInSync;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.view.LogEntry;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When a sender is told of success by a master that waits for slaves, its message is on as many of those that the log names as in
 * sync as it waits for: forced, or written where that slave forces nothing before it answers. A slave that is down counts with what its disk holds.
 */
public final class AcknowledgedIsOnASlave implements LogInvariant {
    private final Cluster cluster;
    private final Verdict verdict;
    private final long lateMs;
    /** By the name of the brokers. */
    private final Map<String, Named> inSync = new HashMap<>();

    /**
     * Whom the log of a master names: in the set that it named last, and in those that this one took the place of at the same instant, at which
     * answers may still be under way that were given before.
     */
    private record Named(List<InSyncMember> last, List<InSyncMember> members, long atMs) {
        Named followedBy(Named next) {
            Set<InSyncMember> all = new LinkedHashSet<>(next.last);
            all.addAll(next.atMs == atMs ? members : last);
            return new Named(next.last, List.copyOf(all), next.atMs);
        }
    }

    private long checked;

    /** @param lateMs so long ago at most an answer was given that a sender gets now */
    public AcknowledgedIsOnASlave(Cluster cluster, Verdict verdict, long lateMs) {
        this.cluster = cluster;
        this.verdict = verdict;
        this.lateMs = lateMs;
    }

    /** How many were looked for. */
    public long checked() {
        return checked;
    }

    /** A sender is told that its message lies at that offset of the log of a broker. */
    public void acknowledged(String brokerName, long physicalOffset, String body) {
        BrokerMachine master = cluster.masters().stream()
                .filter(machine -> machine.role() == Layout.Role.SYNC_MASTER
                        && machine.brokerName().equals(brokerName))
                .findFirst()
                .orElse(null);
        if (master == null) {
            return;
        }
        checked++;
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        long nowMs = cluster.clock().monotonicMs();
        Named named = inSync.getOrDefault(brokerName, new Named(List.of(), List.of(), nowMs));
        List<InSyncMember> members = named.atMs() < nowMs ? named.last() : named.members();
        boolean isOfAnother = cluster.brokers().stream().anyMatch(one -> nowMs - one.changedPlacesMs() <= lateMs);
        long there = cluster.slaves().stream()
                .filter(slave -> nowMs - slave.forgotMs() <= lateMs
                        || (isOneOf(members, slave) && HeldFrames.has(slave, physicalOffset, bytes)))
                .count();
        if (!isOfAnother && there < master.copies() - 1) {
            verdict.broken(
                    getClass(),
                    body + " at " + physicalOffset + " is acknowledged, and on " + there + " slaves of " + members
                            + ", which the log names as in sync");
        }
    }

    @Override
    public void confirmed(BrokerMachine machine, LogEntry entry) {
        if (machine.isMaster() && entry.fact() instanceof ReplicasInSync named) {
            long nowMs = cluster.clock().monotonicMs();
            inSync.merge(machine.brokerName(), new Named(named.members(), named.members(), nowMs), Named::followedBy);
        }
    }

    /** Of an answer that may have been under way for long it is not known which set it was given in. */
    private boolean isOneOf(List<InSyncMember> members, BrokerMachine slave) {
        return lateMs > 0
                || slave.nodeId()
                        .map(node -> members.contains(new InSyncMember(slave.brokerId(), node)))
                        .orElse(false);
    }
}
