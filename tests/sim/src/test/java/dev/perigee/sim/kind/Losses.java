package dev.perigee.sim.kind;

import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.question.Inspector;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.view.LogEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a master and its slaves have lost where that may be, and what whoever runs them does about it when they do not become level by
 * themselves, or the master does not begin: lets a master start without what it knows to be gone, and gives up a slave that has what its master has not.
 */
final class Losses {
    private static final long PATIENCE_MS = 40_000;

    private final Cluster cluster;
    private final Copies copies;
    private final Inspector inspector;
    private final Consumer<String> note;
    private final boolean mayLose;
    private Set<String> lost = Set.of();
    private long unlevelSinceMs = -1;
    private boolean hasAccepted;
    private int givenUp;

    Losses(Cluster cluster, Copies copies, Inspector inspector, Promise promise, Consumer<String> note) {
        this.cluster = cluster;
        this.copies = copies;
        this.inspector = inspector;
        this.mayLose = promise.mayLose();
        this.note = note;
    }

    /** How many messages that were acknowledged are gone. */
    int lost() {
        return lost.size();
    }

    /** How often somebody had to say that what is gone may be gone. */
    int givenUp() {
        return givenUp;
    }

    /** Those of some messages that are not in the log of the master, where that may be; none while the master is down. */
    Set<String> of(Set<String> bodies) {
        CommitLog log = cluster.master().log().orElse(null);
        if (!mayLose || log == null) {
            return Set.of();
        }
        lost = missing(log, bodies);
        return lost;
    }

    /** Whether a message is not in the log of the master that is up, where that may be. */
    boolean isGone(String body) {
        CommitLog log = cluster.master().log().orElse(null);
        return mayLose && log != null && !missing(log, Set.of(body)).isEmpty();
    }

    private Set<String> missing(CommitLog log, Set<String> bodies) {
        Set<String> missing = new HashSet<>(bodies);
        LogEntry entry = new LogEntry();
        LogReader reader = new LogReader(log, log.startOffset());
        try {
            while (reader.next()) {
                entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset());
                if (!entry.isFact()) {
                    missing.remove(
                            StandardCharsets.UTF_8.decode(entry.frame().body()).toString());
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("the log of " + cluster.master().name() + " cannot be read", e);
        }
        return missing;
    }

    /** Looks once a second, while nothing goes wrong. */
    void tend() throws IOException {
        long nowMs = cluster.clock().sinceStartMs();
        if (!mayLose || (copies.areLevel() && inspector.serves(cluster.master()))) {
            unlevelSinceMs = nowMs;
            return;
        }
        unlevelSinceMs = unlevelSinceMs < 0 ? nowMs : unlevelSinceMs;
        if (nowMs - unlevelSinceMs >= PATIENCE_MS) {
            unlevelSinceMs = nowMs;
            giveUp();
        }
    }

    /** Whether it waits for the slaves that its log names: one that was a slave does, whatever its role is. */
    private static boolean insists(BrokerMachine master) {
        return master.role() == Layout.Role.SYNC_MASTER || master.hasChangedPlaces();
    }

    private void giveUp() throws IOException {
        BrokerMachine master = cluster.master();
        givenUp++;
        if (!hasAccepted && insists(master)) {
            hasAccepted = true;
            note.accept(master.name() + " is to start without what is gone");
            master.acceptLoss();
            master.stop();
            return;
        }
        for (BrokerMachine slave : cluster.slaves()) {
            if (!copies.isLevel(slave)) {
                note.accept(slave.name() + " is to begin anew");
                slave.stop();
                slave.wipe();
            }
        }
    }
}
