package dev.perigee.sim.watch;

import dev.perigee.protocol.message.MessageId;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.epoch.Epoch;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * When a sender is told of success by a group, a majority holds its message; and of what is acknowledged in one epoch all was
 * stored by one broker. A broker that is down counts with what its disk holds.
 */
public final class AcknowledgedByAGroup {
    private final Cluster cluster;
    private final Verdict verdict;
    private final long lateMs;
    private final Map<Integer, String> leaders = new HashMap<>();
    private long checked;

    /** @param lateMs so long ago at most an answer was given that a sender gets now: a disk that was lost since may have held its message */
    public AcknowledgedByAGroup(Cluster cluster, Verdict verdict, long lateMs) {
        this.cluster = cluster;
        this.verdict = verdict;
        this.lateMs = lateMs;
    }

    /** How many were looked for. */
    public long checked() {
        return checked;
    }

    /** A sender is told that its message was stored. */
    public void acknowledged(MessageId id, String body) {
        checked++;
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        long nowMs = cluster.clock().monotonicMs();
        long there = cluster.brokers().stream()
                .filter(machine ->
                        nowMs - machine.forgotMs() <= lateMs || HeldFrames.has(machine, id.physicalOffset(), bytes))
                .count();
        int majority = cluster.brokers().size() / 2 + 1;
        if (there < majority) {
            verdict.broken(getClass(), body + " at " + id + " is acknowledged, and on " + there + " of the brokers");
        }
        String leader = id.storeHost().toString();
        epochOf(id).map(epoch -> leaders.putIfAbsent(epoch.number(), leader)).ifPresent(before -> {
            if (!before.equals(leader)) {
                verdict.broken(getClass(), body + " at " + id + " is of an epoch in which " + before + " leads");
            }
        });
    }

    /** As the broker has it that stored it. */
    private Optional<Epoch> epochOf(MessageId id) {
        return cluster.brokers().stream()
                .filter(machine -> machine.address()
                        .equals(id.storeHost().getHostString() + ":"
                                + id.storeHost().getPort()))
                .findFirst()
                .flatMap(BrokerMachine::log)
                .flatMap(log -> log.extent().epochs().at(id.physicalOffset()));
    }
}
