package dev.perigee.sim.watch;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.view.LogEntry;

/**
 * Something that must hold of the logs of a cluster. It is told after each event what has changed, and says so through a {@link
 * dev.perigee.sim.ledger.Verdict} when it does not hold.
 */
public interface LogInvariant {
    /** A broker has started on this machine; nothing was told of it yet. */
    default void starting(BrokerMachine machine) {}

    /** A broker has started on this machine, and its confirm offset was told. */
    default void started(BrokerMachine machine, CommitLog log) {}

    /** The confirm offset of a machine is another one. */
    default void confirmOffset(BrokerMachine machine, long offset) {}

    /** One more frame is confirmed; frames come in the order of the log, each once a machine. Only valid during the call. */
    default void confirmed(BrokerMachine machine, LogEntry entry) {}

    /** Everything about the last event was told. */
    default void eventOver() {}

    /** Nothing more happens; the broker still runs. */
    default void over(BrokerMachine machine, CommitLog log) {}
}
