package dev.perigee.sim.kind;

import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.LoneBroker;
import dev.perigee.sim.cluster.Machine;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.question.Inspector;
import dev.perigee.sim.question.NoAnswerException;
import dev.perigee.sim.question.Questions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Views that live are those that are made anew from nothing but the log. After some crashes they are compared with the views of a
 * broker on a copy of the log, at the end with those of the broker itself after all but its log was taken away.
 */
final class LiveAndRebuilt {
    /** Crashes of a run after which they are compared. */
    private static final int COMPARISONS = 3;

    private static final int TRIES = 20;
    private static final long TRY_AGAIN_MS = 500;
    private static final long START_MS = 5_000;

    private final Cluster cluster;
    private final Inspector inspector;
    private final BrokerContents contents;
    /** The same at one instant, of brokers to which anything may happen at the next. */
    private final BrokerContents atOnce;

    private final Verdict verdict;
    private final Map<String, Long> changes = new HashMap<>();
    private int comparisons;

    LiveAndRebuilt(Cluster cluster, Inspector inspector, String topic, int queues, Verdict verdict) {
        this.cluster = cluster;
        this.inspector = inspector;
        this.contents = new BrokerContents(inspector, topic, queues);
        this.atOnce = new BrokerContents(inspector.atOnce(), topic, queues);
        this.verdict = verdict;
    }

    /** Compares those of brokers that have come back since the last time; of one that does not serve yet, as a master that waits for its slaves, when it does. */
    void afterCrashes() throws Exception {
        for (BrokerMachine machine : cluster.brokers()) {
            if (!machine.isUp()) {
                continue;
            }
            long now = machine.changes();
            boolean isDue = changes.getOrDefault(machine.name(), now) != now && comparisons < COMPARISONS;
            if (!isDue) {
                changes.put(machine.name(), now);
            } else if (inspector.serves(machine)) {
                changes.put(machine.name(), now);
                comparisons++;
                compare(machine);
            }
        }
    }

    /** Unless something happens to its process meanwhile: who comes back may have another log, where something may be lost. */
    private void compare(BrokerMachine machine) throws Exception {
        long life = machine.changes();
        long confirmed = machine.log().orElseThrow().confirmOffset();
        LoneBroker anew = cluster.anew(machine);
        List<String> rebuilt = new BrokerContents(
                        Questions.to(anew, cluster.clock()), contents.topic(), contents.queues())
                .messages(anew.machine(), confirmed);
        Optional<List<String>> lived = read(machine, confirmed);
        for (int tries = 0; tries < TRIES && !lived.equals(Optional.of(rebuilt)); tries++) {
            cluster.pass(TRY_AGAIN_MS); // on a full disk views wait
            if (machine.changes() != life) {
                return;
            }
            lived = read(machine, confirmed);
        }
        if (lived.isPresent()
                && (machine.isMaster()
                        || !lived.get().isEmpty())) { // a slave that has not heard its master is not read yet
            check("after a start of " + machine.name(), lived.get(), rebuilt);
        }
    }

    /** What it shows at this instant of what lies below an offset of its log; nothing when it does not answer. */
    private Optional<List<String>> read(BrokerMachine machine, long belowOffset) throws MalformedMessageException {
        try {
            return Optional.of(atOnce.messages(machine, belowOffset));
        } catch (NoAnswerException e) {
            return Optional.empty();
        }
    }

    private void check(String when, List<String> lived, List<String> anew) {
        if (!lived.equals(anew)) {
            verdict.broken(getClass(), "views differ " + when + ":\nlived " + lived + "\nanew  " + anew);
        }
    }

    /** Takes all but the logs away, some by a stop, some by a kill. */
    void atTheEnd(Random random) throws Exception {
        List<String> lived = contentsOfAll();
        for (BrokerMachine slave : cluster.slaves()) {
            LoneBroker anew = cluster.anew(slave);
            BrokerContents ofSlave =
                    new BrokerContents(Questions.to(anew, cluster.clock()), contents.topic(), contents.queues());
            check(
                    "of the log of " + slave.name(),
                    contents.lines(cluster.masterOf(slave)),
                    ofSlave.lines(anew.machine()));
        }
        if (lived.stream().noneMatch(line -> line.contains(" half "))) {
            verdict.broken(getClass(), "no half message was open when the views were made anew");
        }
        for (BrokerMachine machine : cluster.brokers()) {
            if (random.nextBoolean()) {
                machine.end(Machine.End.KILLED);
            } else {
                machine.stop();
            }
            if (machine.isMember()) {
                machine.loseViews(); // without its vote it does not start
            } else {
                machine.keepOnlyTheLog();
            }
            machine.start();
        }
        cluster.pass(START_MS);
        check("at the end", lived, contentsOfAll());
    }

    private List<String> contentsOfAll() throws BadBodyException, MalformedMessageException {
        List<String> lines = new ArrayList<>();
        for (BrokerMachine machine : cluster.masters()) {
            contents.lines(machine).forEach(line -> lines.add(machine.brokerName() + " " + line));
        }
        return lines;
    }
}
