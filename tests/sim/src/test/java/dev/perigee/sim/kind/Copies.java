package dev.perigee.sim.kind;

import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.MalformedMessageException;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.cluster.LoneBroker;
import dev.perigee.sim.fault.FaultEvent;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.question.Questions;
import dev.perigee.sim.watch.AcknowledgedIsOnASlave;
import dev.perigee.sim.watch.LogInvariant;
import dev.perigee.store.log.CommitLog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What slaves are there for: what is acknowledged is on one of them, and, while one node fails at a time, a broker made from the log of
 * the most advanced one has all of it whenever the master is down; and in the end they have what the master has.
 */
public final class Copies {
    /** A sender waits no longer for an answer. */
    private static final long LATEST_ANSWER_MS = 3_000;

    private static final int TAKEOVERS = 4;

    /** What can be read in its queue at once. */
    private static final Pattern PLACED = Pattern.compile("plain|ordered|batch");

    private final Cluster cluster;
    private final Verdict verdict;
    private final AcknowledgedIsOnASlave onSlaves;
    private final boolean isOneAtATime;
    private final Set<String> acknowledged = new LinkedHashSet<>();
    private final String topic;
    private final int queues;
    private int takeovers;
    private boolean wasUp = true;
    private BrokerMachine masterBefore;

    Copies(Cluster cluster, Scene scene, Verdict verdict, String topic, int queues) {
        this.cluster = cluster;
        this.masterBefore = cluster.master();
        this.verdict = verdict;
        this.topic = topic;
        this.queues = queues;
        this.onSlaves =
                new AcknowledgedIsOnASlave(cluster, verdict, answersAreLate(scene.plan()) ? LATEST_ANSWER_MS : 0);
        this.isOneAtATime = Promise.of(scene).isOneAtATime();
    }

    private static boolean answersAreLate(FaultPlan plan) {
        return plan.events().stream().anyMatch(Copies::makesAnswersLate);
    }

    private static boolean makesAnswersLate(FaultEvent event) {
        return event.kind() == FaultKind.FREEZE
                || Exercise.CLIENTS.contains(event.on())
                || Exercise.CLIENTS.contains(event.other());
    }

    /**
     * A send has ended.
     *
     * @param index which of the messages of the answer it is
     */
    void sent(SendResult stored, int index, String body) {
        if (stored.status() == SendStatus.SEND_OK && !cluster.slaves().isEmpty()) {
            String id = stored.offsetMessageId().split(",", -1)[index];
            onSlaves.acknowledged(
                    stored.queue().brokerName(), MessageId.parse(id).physicalOffset(), body);
            if (PLACED.matcher(body).lookingAt()) {
                acknowledged.add(body);
            }
        }
    }

    /** Is to hear what the logs hold. */
    LogInvariant onSlaves() {
        return onSlaves;
    }

    /** How many acknowledged messages were looked for on slaves. */
    public long checked() {
        return onSlaves.checked();
    }

    /** How often a slave's log took over. */
    public int takeovers() {
        return takeovers;
    }

    /** When the master has gone down: what would a broker have that took over? */
    void lookWhenMasterIsDown() throws Exception {
        BrokerMachine master = cluster.master();
        boolean hasGone = wasUp && !master.isUp() && master.equals(masterBefore);
        wasUp = master.isUp();
        masterBefore = master;
        if (hasGone && isOneAtATime && master.role() == Layout.Role.SYNC_MASTER && takeovers < TAKEOVERS) {
            takeovers++;
            takeOver();
        }
    }

    private void takeOver() throws Exception {
        BrokerMachine best = cluster.slaves().stream()
                .filter(BrokerMachine::isUp)
                .max(Comparator.comparingLong(
                        slave -> slave.log().map(CommitLog::endOffset).orElse(0L)))
                .orElseThrow(() -> new IllegalStateException("one node fails at a time, and no slave is there"));
        Set<String> there = bodies(cluster.anew(best));
        for (String body : acknowledged) {
            if (!there.contains(body)) {
                verdict.broken(
                        getClass(), body + " is acknowledged, the master is down, and " + best.name() + " lacks it");
                return;
            }
        }
    }

    private Set<String> bodies(LoneBroker lone) throws MalformedMessageException {
        Set<String> bodies = new LinkedHashSet<>();
        new BrokerContents(Questions.to(lone, cluster.clock()), topic, queues)
                .messages(lone.machine(), Long.MAX_VALUE)
                .forEach(line -> bodies.add(line.substring(line.lastIndexOf(' ') + 1)));
        return bodies;
    }

    /** Whether slaves have confirmed all that their master has, and it all it has written. */
    boolean areLevel() {
        return cluster.slaves().isEmpty() || unlike().isEmpty();
    }

    private long masterEnd() {
        return cluster.master().log().map(CommitLog::endOffset).orElse(-1L);
    }

    /** Whether a replica has confirmed all that the master has. */
    boolean isLevel(BrokerMachine replica) {
        long end = masterEnd();
        return replica.log()
                .filter(log -> log.endOffset() == end && log.confirmOffset() == end)
                .isPresent();
    }

    /** How they differ. */
    List<String> unlike() {
        List<String> unlike = new ArrayList<>();
        long end = masterEnd();
        for (BrokerMachine replica : cluster.slaves().isEmpty() ? List.<BrokerMachine>of() : cluster.brokers()) {
            if (!isLevel(replica)) {
                long itsEnd = replica.log().map(CommitLog::endOffset).orElse(-1L);
                long confirm = replica.log().map(CommitLog::confirmOffset).orElse(-1L);
                unlike.add(replica.name() + " ends at " + itsEnd + " and has confirmed " + confirm
                        + " when nothing goes wrong any more, the master ends at " + end);
            }
        }
        return unlike;
    }
}
