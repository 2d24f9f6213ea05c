package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.view.LogEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads what each broker of a cluster confirms, once and in order, across all its restarts, and tells it to invariants. */
public final class LogWatch {
    private static final int LAST_FRAMES = 100;

    private final Verdict verdict;
    private final boolean mayLose;
    private final List<LogInvariant> invariants = new ArrayList<>();
    private final List<Machine> machines = new ArrayList<>();
    private final LogEntry entry = new LogEntry();
    private long frames;

    /** One machine, as far as it was looked at. */
    private static final class Machine {
        final BrokerMachine broker;

        @Nullable
        CommitLog log;

        @Nullable
        LogReader reader;

        String memory;
        /** Where the log ended when this process was first looked at. */
        long startEnd;

        long confirm;
        long readTo;
        /** Where each frame begins, and where it ends. */
        final List<Long> begins = new ArrayList<>();

        Machine(BrokerMachine broker) {
            this.broker = broker;
            this.memory = broker.memory();
        }

        /** What was read may be gone: it is read from the beginning. */
        void forget() {
            memory = broker.memory();
            confirm = 0;
            readTo = 0;
            begins.clear();
        }
    }

    /** Looks after each event from now on, and holds what must hold of any log against it. */
    public LogWatch(Cluster cluster, Verdict verdict) {
        this(cluster, verdict, false);
    }

    /**
     * As above.
     *
     * @param mayLose whether a master that forgot may go on otherwise than it was. Then a slave may follow it in what it does not know any more to
     *     be confirmed: it keeps that now and then (R10), so that a process that is killed starts with less than it knew. Up to what it starts with, what it had confirmed is the same for ever.
     */
    public LogWatch(Cluster cluster, Verdict verdict, boolean mayLose) {
        this.verdict = verdict;
        this.mayLose = mayLose;
        cluster.brokers().forEach(broker -> machines.add(new Machine(broker)));
        add(new ConfirmOffsetNeverFalls(verdict));
        add(new ConfirmedBytesStay(verdict));
        add(new ReplicasAgreeBelowConfirm(cluster, verdict, mayLose));
        add(new ForcedBytesStay(cluster, verdict));
        add(new QueueOffsetsAreDense(verdict));
        add(new OffsetsNameOneMessage(verdict));
        add(new EveryHalfIsResolvedOnce(verdict));
        add(new EveryTimerFiresOnce(verdict));
        cluster.watch(this::look);
    }

    /** One more who is told everything from now on. */
    public void add(LogInvariant invariant) {
        invariants.add(invariant);
    }

    /** How many frames were looked at. */
    public long frames() {
        return frames;
    }

    /**
     * A byte within some frame that a machine has confirmed.
     *
     * @param which chooses among the last few frames, and in it
     */
    public OptionalLong byteOfFrame(BrokerMachine broker, long which) {
        for (Machine machine : machines) {
            int count = machine.begins.size() / 2;
            if (machine.broker == broker && count > 0) {
                int frame = count - 1 - (int) (which % Math.min(count, LAST_FRAMES));
                long begin = machine.begins.get(2 * frame);
                long size = machine.begins.get(2 * frame + 1) - begin;
                return OptionalLong.of(begin + which % size);
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Whether all that the broker of that name has confirmed was told: not while it is down, nor before it confirms what it found at its start,
     * for that may have been confirmed by another one last, in the step in which that one stopped. Of a group whoever serves has confirmed all that was.
     */
    public boolean isRead(String brokerName) {
        if (machines.stream().anyMatch(machine -> machine.broker.isMember())) {
            return machines.stream().anyMatch(machine -> machine.broker.serves());
        }
        return machines.stream()
                .filter(machine ->
                        machine.broker.isMaster() && machine.broker.brokerName().equals(brokerName))
                .allMatch(machine -> machine.log != null && machine.confirm >= machine.startEnd);
    }

    private void look() {
        for (Machine machine : machines) {
            CommitLog log = machine.broker.log().orElse(null);
            if (log != machine.log) {
                machine.log = log;
                machine.reader = null;
                if (!machine.memory.equals(machine.broker.memory())) {
                    machine.forget();
                }
                if (log != null) {
                    machine.startEnd = log.endOffset();
                    invariants.forEach(invariant -> invariant.starting(machine.broker));
                    machine.reader = new LogReader(log, Math.max(machine.readTo, log.startOffset()));
                    tellConfirm(machine, log.confirmOffset());
                    invariants.forEach(invariant -> invariant.started(machine.broker, log));
                    if (mayLose && !machine.broker.isMaster() && log.confirmOffset() < machine.readTo) {
                        followAnew(machine, log);
                    }
                }
            }
            if (log != null && log.confirmOffset() != machine.confirm) {
                tellConfirm(machine, log.confirmOffset());
            }
            read(machine);
        }
        for (LogInvariant invariant : invariants) {
            invariant.eventOver();
        }
    }

    /** A slave knows less to be confirmed than it did: what it confirms from here on may be otherwise. */
    private static void followAnew(Machine machine, CommitLog log) {
        machine.broker.mayHaveForgotten();
        machine.forget();
        machine.reader = new LogReader(log, log.startOffset());
        machine.confirm = log.confirmOffset();
    }

    private void tellConfirm(Machine machine, long confirm) {
        machine.confirm = confirm;
        invariants.forEach(invariant -> invariant.confirmOffset(machine.broker, confirm));
    }

    private void read(Machine machine) {
        LogReader reader = machine.reader;
        if (reader == null || machine.readTo >= machine.confirm) {
            return;
        }
        try {
            while (reader.next()) {
                frames++;
                machine.begins.add(reader.frameOffset());
                machine.begins.add(reader.position());
                entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset());
                invariants.forEach(invariant -> invariant.confirmed(machine.broker, entry));
            }
        } catch (IOException e) {
            verdict.broken(ConfirmedBytesStay.class, machine.broker.name() + " confirms what cannot be read: " + e);
        }
        machine.readTo = Math.max(reader.position(), machine.confirm);
    }

    /** Nothing more happens. */
    public void close() {
        look();
        for (Machine machine : machines) {
            CommitLog log = machine.log;
            if (log != null) {
                invariants.forEach(invariant -> invariant.over(machine.broker, log));
            }
        }
    }
}
