package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.LogExtent;
import dev.perigee.store.log.CommitLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brokers of one name have the same bytes, blanks included, wherever they have confirmed an offset, whichever was first and whoever is
 * down. Only what is new is compared; from where a broker is when it starts on. What a master that starts has not, its own log or that of the
 * master before it, and nobody promised to keep, does not count any more: who has it will not follow, and is compared up to where its log parts from that of the master.
 */
final class ReplicasAgreeBelowConfirm implements LogInvariant {
    private static final int BLOCK_BYTES = 64 << 10;

    private final List<BrokerMachine> replicas;
    private final Verdict verdict;
    private final boolean mayLose;
    private final Map<String, Agreed> names = new HashMap<>();
    private final Map<String, Long> comparedTo = new HashMap<>();
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);

    /** What the brokers of a name have confirmed: whoever came first. */
    private static final class Agreed {
        byte[] bytes = new byte[BLOCK_BYTES];
        int size;
        /** Of the master, when its bytes were last looked at. */
        @Nullable
        LogExtent extent;

        void add(ByteBuffer more) {
            if (size + more.remaining() > bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
            int count = more.remaining();
            more.get(bytes, size, count);
            size += count;
        }
    }

    ReplicasAgreeBelowConfirm(Cluster cluster, Verdict verdict, boolean mayLose) {
        this.replicas = cluster.slaves().isEmpty() ? List.of() : cluster.brokers();
        this.verdict = verdict;
        this.mayLose = mayLose;
    }

    @Override
    public void starting(BrokerMachine machine) {
        Agreed agreed = names.get(machine.brokerName());
        if (mayLose && machine.isMaster() && agreed != null && agreed.extent != null) {
            LogExtent now = machine.log().orElseThrow().extent();
            agreed.size = (int) Math.min(agreed.size, shared(agreed.extent, now));
        }
    }

    @Override
    public void started(BrokerMachine machine, CommitLog log) {
        comparedTo.computeIfPresent(machine.memory(), (name, to) -> Math.min(to, log.confirmOffset()));
    }

    @Override
    public void eventOver() {
        for (BrokerMachine machine : replicas) {
            machine.log().ifPresent(log -> compare(machine, log));
        }
    }

    private void compare(BrokerMachine machine, CommitLog log) {
        Agreed agreed = names.computeIfAbsent(machine.brokerName(), name -> new Agreed());
        if (machine.isMaster()) {
            agreed.extent = log.extent();
        }
        long at = Math.min(comparedTo.getOrDefault(machine.memory(), 0L), agreed.size);
        long end = mayLose ? Math.min(log.confirmOffset(), sharedWithMaster(machine, log)) : log.confirmOffset();
        if (at >= end) {
            return;
        }
        try {
            while (at < end) {
                at += compareBlock(machine, log, at, end, agreed);
            }
        } catch (IOException e) {
            verdict.broken(getClass(), machine.name() + " cannot read what it has confirmed at " + at + ": " + e);
        }
        comparedTo.put(machine.memory(), at);
    }

    /** Up to where a log is that of the master; nothing while the master is down. */
    private long sharedWithMaster(BrokerMachine machine, CommitLog log) {
        if (machine.isMaster()) {
            return log.endOffset();
        }
        return replicas.stream()
                .filter(BrokerMachine::isMaster)
                .findFirst()
                .flatMap(BrokerMachine::log)
                .map(master -> shared(log.extent(), master.extent()))
                .orElse(0L);
    }

    private static long shared(LogExtent one, LogExtent other) {
        List<Epoch> epochs = one.epochs().epochs();
        for (int i = epochs.size() - 1; i >= 0; i--) {
            Epoch epoch = epochs.get(i);
            if (other.epochs().epochs().contains(epoch)) {
                return Math.min(
                        one.epochs().endOf(epoch, one.endOffset()),
                        other.epochs().endOf(epoch, other.endOffset()));
            }
        }
        return 0;
    }

    private int compareBlock(BrokerMachine machine, CommitLog log, long at, long end, Agreed agreed)
            throws IOException {
        int size = (int) Math.min(BLOCK_BYTES, end - at);
        int known = (int) Math.min(size, agreed.size - at);
        block.clear().limit(known > 0 ? known : size);
        int count = log.read(at, block);
        if (count <= 0) {
            throw new IOException("no bytes at " + at);
        }
        block.flip();
        if (known <= 0) {
            agreed.add(block);
        } else {
            int from = (int) at;
            int differs = Arrays.mismatch(block.array(), 0, count, agreed.bytes, from, from + count);
            if (differs >= 0) {
                verdict.broken(
                        getClass(),
                        machine.name() + " has confirmed at " + (at + differs) + " what another replica has otherwise");
            }
        }
        return count;
    }
}
