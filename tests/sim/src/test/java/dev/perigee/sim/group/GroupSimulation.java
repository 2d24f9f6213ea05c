package dev.perigee.sim.group;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.Cluster;
import dev.perigee.sim.fault.FaultInjector;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.invariant.BroadcastReachesAll;
import dev.perigee.sim.invariant.EveryMessageIsConsumed;
import dev.perigee.sim.invariant.EveryQueueHasOneOwner;
import dev.perigee.sim.invariant.NothingStoredIsGone;
import dev.perigee.sim.invariant.OffsetsStandBehindWork;
import dev.perigee.sim.invariant.OneMemberRunsAQueue;
import dev.perigee.sim.invariant.QueuesRunInOrder;
import dev.perigee.sim.invariant.RebalanceEndsInTime;
import dev.perigee.sim.invariant.RetriesWait;
import dev.perigee.sim.ledger.Group;
import dev.perigee.sim.ledger.Invariant;
import dev.perigee.sim.ledger.Ledger;
import dev.perigee.sim.ledger.Look;
import dev.perigee.sim.ledger.Remains;
import dev.perigee.sim.ledger.Verdict;
import dev.perigee.sim.watch.AcknowledgedIsConfirmed;
import dev.perigee.sim.watch.LogWatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One run by one seed: a producer and three groups, one of each kind, on one topic, while members come, leave and vanish,
 * listeners fail and take too long, the network and the disk misbehave, and the broker goes down and comes back. What members do
 * and what goes wrong is drawn by the {@link Course}; here it is set up, watched and, at the end, left to come to rest.
 */
public final class GroupSimulation {
    static final String TOPIC = "T";

    private static final int QUEUES = 4;
    private static final long CONSUME_TIMEOUT_MS = 3_000;
    private static final long CALM_LIMIT_MS = 300_000;

    private final Cluster cluster;
    private final Ledger ledger;
    private final Verdict verdict = new Verdict();
    private final LogWatch logs;
    private final AcknowledgedIsConfirmed acknowledged;
    private final FaultInjector faults;
    private final List<MessageQueue> queues = IntStream.range(0, QUEUES)
            .mapToObj(id -> new MessageQueue(TOPIC, "broker-a", id))
            .toList();
    private final EveryQueueHasOneOwner owners = new EveryQueueHasOneOwner(verdict, queues);
    private final RebalanceEndsInTime rebalances;
    private final BroadcastReachesAll broadcasts;
    private final Sender sender;
    private final List<Members> groups = new ArrayList<>();
    private final Auditor auditor;
    private final Course course;

    /** @param folder where members keep files */
    public GroupSimulation(long seed, Path folder) throws Exception {
        this(seed, folder, plan(seed));
    }

    /** As above, with other things that go wrong. */
    public GroupSimulation(long seed, Path folder, FaultPlan plan) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        this.cluster = new Cluster(seed, folder);
        this.ledger = new Ledger(cluster.clock());
        this.logs = new LogWatch(cluster, verdict);
        this.acknowledged = new AcknowledgedIsConfirmed(verdict, logs::isRead, body -> false);
        this.faults = new FaultInjector(cluster, plan, ledger::note, logs::byteOfFrame);
        this.rebalances = new RebalanceEndsInTime(ledger, verdict, queues);
        this.broadcasts = new BroadcastReachesAll(ledger, verdict);
        watch();
        this.sender = new Sender(seed, TOPIC, cluster, ledger);
        Member.World world = new Member.World(seed, TOPIC, folder, cluster, ledger, new PlannedListener.Tries());
        for (Group.Kind kind : Group.Kind.values()) {
            Group group = new Group(Members.name(kind), kind, 2, CONSUME_TIMEOUT_MS, 1 + random.nextInt(3));
            groups.add(new Members(group, world, random.split()));
        }
        this.auditor = new Auditor(cluster);
        this.course = new Course(this, random.split());
    }

    private void watch() {
        ledger.add(new EveryMessageIsConsumed(ledger, verdict));
        ledger.add(new QueuesRunInOrder(ledger, verdict));
        ledger.add(new OneMemberRunsAQueue(ledger, verdict));
        ledger.add(owners);
        ledger.add(new OffsetsStandBehindWork(ledger, verdict));
        ledger.add(new RetriesWait(verdict));
        ledger.add(broadcasts);
        ledger.add(new NothingStoredIsGone(ledger, verdict));
        ledger.add(rebalances);
        logs.add(acknowledged);
        ledger.add(new Invariant() {
            @Override
            public void acknowledged(String body, MessageQueue queue, long offset) {
                acknowledged.acknowledged(queue, offset, body);
            }
        });
        cluster.machine().onEnd(ledger::endBroker);
        cluster.machine().onStart(ledger::startBroker);
        cluster.onThreadEnd(error -> ledger.note("a listener thread ended"));
    }

    /** What goes wrong in the run of a seed. */
    public static FaultPlan plan(long seed) {
        return Course.plan(seed);
    }

    Sender sender() {
        return sender;
    }

    List<Members> groups() {
        return groups;
    }

    List<MessageQueue> queues() {
        return queues;
    }

    /** The history so far. */
    public List<String> history() {
        return ledger.history();
    }

    /** The whole course so far, in a form to compare: two runs that took the same one say the same. */
    public String course() {
        return simulatedMs() + " ms, " + history().size() + " lines "
                + Integer.toHexString(String.join("\n", history()).hashCode()) + ", " + cluster.traffic();
    }

    /** How much was acknowledged. */
    public int acknowledged() {
        return ledger.acknowledgedBodies().size();
    }

    /** How long the run was, on its own clock. */
    public long simulatedMs() {
        return ledger.nowMs();
    }

    /** How often the sharing of queues had to be settled when it was looked at. */
    public int settledLooks() {
        return rebalances.checks();
    }

    /**
     * Runs to the end, or to the first thing that does not hold.
     *
     * @return what does not hold; empty when all does
     */
    public String run() throws Exception {
        try {
            return runToTheEnd();
        } finally {
            cluster.calls().vanishAll();
        }
    }

    private String runToTheEnd() throws Exception {
        begin();
        while (verdict.problem().isEmpty() && course.goesOn()) {
            course.act();
            watchFor(course.pauseMs());
        }
        if (verdict.problem().isEmpty()) {
            comeToRest();
            logs.close();
        }
        return verdict.problem().orElseGet(() -> String.join("; ", faults.problems()));
    }

    private void begin() throws Exception {
        sender.start();
        sender.send(null);
        cluster.pass(1_000);
        auditor.start();
        for (Members members : groups) {
            members.join();
            members.join();
        }
        watchFor(2_000);
    }

    /** Lets time pass and looks at the groups meanwhile. */
    private void watchFor(long ms) {
        for (long passed = 0; passed < ms && verdict.problem().isEmpty(); passed += Course.LOOK_MS) {
            cluster.pass(Math.min(Course.LOOK_MS, ms - passed));
            groups.forEach(Members::tidy);
            look();
            if (course.readsOffsetsOften()) {
                groups.stream()
                        .filter(members -> members.group().isClustering())
                        .forEach(this::readOffsets);
            }
        }
    }

    /** Looks at the groups; whether each is as it has to be at rest. */
    private boolean look() {
        boolean isAtRest = true;
        for (Members members : groups) {
            if (members.group().isClustering()) {
                isAtRest &= auditor.members(members.group())
                        .map(listed -> look(members.look(listed)))
                        .orElse(false);
            }
        }
        return isAtRest;
    }

    private boolean look(Look look) {
        ledger.look(look);
        return owners.isShared(look);
    }

    /** Asks for a group's offsets. */
    void readOffsets(Members members) {
        for (MessageQueue queue : queues) {
            auditor.offset(members.group(), queue)
                    .ifPresent(offset -> ledger.readOffset(members.group(), queue, offset));
        }
    }

    /** Everything works from now on: all that was acknowledged has to arrive, and every queue has to get its owner. */
    private void comeToRest() throws Exception {
        ledger.note("calm");
        faults.calm();
        boolean isAtRest = false;
        for (long passed = 0;
                passed < CALM_LIMIT_MS && !isAtRest && verdict.problem().isEmpty();
                passed += 1_000) {
            watchFor(1_000);
            isAtRest = sender.isEverySendAnswered() && look() && isEverythingConsumed();
        }
        groups.stream().filter(members -> members.group().isClustering()).forEach(this::readOffsets);
        ledger.close(new Remains(auditor.contents(queues), deadLetters()));
        if (!sender.isEverySendAnswered() && verdict.problem().isEmpty()) {
            throw new IllegalStateException("a send was never answered");
        }
    }

    private boolean isEverythingConsumed() {
        boolean isQuiet = groups.stream()
                .flatMap(members -> ledger.running(members.group()).stream())
                .allMatch(call -> call.isOverdue(ledger.nowMs()));
        return isQuiet
                && broadcasts.isComplete()
                && sharing().allMatch(group -> isAllOver(group, ledger::isExhausted))
                && isAllDone(deadLetters());
    }

    private boolean isAllDone(Map<Group, List<String>> deadLetters) {
        return sharing()
                .allMatch(group -> isAllOver(
                        group,
                        (one, body) -> deadLetters.getOrDefault(one, List.of()).contains(body)));
    }

    private boolean isAllOver(Group group, BiPredicate<Group, String> isSetAside) {
        return ledger.acknowledgedBodies().stream()
                .allMatch(body -> ledger.isFinished(group, body) || isSetAside.test(group, body));
    }

    /** The groups whose members share the queues. */
    private Stream<Group> sharing() {
        return groups.stream().map(Members::group).filter(Group::isClustering);
    }

    private Map<Group, List<String>> deadLetters() {
        Map<Group, List<String>> deadLetters = new LinkedHashMap<>();
        sharing().forEach(group -> {
            MessageQueue queue =
                    new MessageQueue(group.deadLetterTopic(), queues.get(0).brokerName(), 0);
            deadLetters.put(group, List.copyOf(auditor.contents(queue).values()));
        });
        return deadLetters;
    }

    /** Sets a group's position in a queue back, by as much as the draw says. */
    void resetOffset(Group group, MessageQueue queue, SplittableRandom random) {
        auditor.offset(group, queue).ifPresent(offset -> {
            ledger.readOffset(group, queue, offset);
            long target = random.nextLong(offset + 1);
            ledger.resetOffset(group, queue, target); // it counts even if the answer does not come
            auditor.reset(group, queue, target);
        });
    }
}
