package dev.perigee.sim.group;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.Layout;
import dev.perigee.sim.fault.FaultKind;
import dev.perigee.sim.fault.FaultPlan;
import dev.perigee.sim.ledger.Group;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What members and senders do in a run, drawn action by action; and what goes wrong meanwhile, drawn before. Some runs have a sound
 * network, some a broker that stays up, some both, so that what has to hold only then is looked at as well.
 */
final class Course {
    /** Time between two looks at the groups. */
    static final long LOOK_MS = 250;

    private static final int ACTIONS = 40;
    private static final int MOST_MESSAGES = 8;
    private static final int LONGEST_PAUSE_MS = 1_500;
    private static final long FAULTS_FROM_MS = 4_000;
    private static final long FAULTS_TO_MS = 34_000;
    private static final int MEMBERS = 6;

    private static final EnumSet<FaultKind> OF_NETWORK =
            EnumSet.of(FaultKind.CUT, FaultKind.LOSE, FaultKind.DELAY, FaultKind.PART, FaultKind.PART_ONE_WAY);
    /** Disks do not stall: where a group stands is answered when it is logged, and queues change hands within a second. */
    private static final EnumSet<FaultKind> OF_BROKER = EnumSet.of(
            FaultKind.RESTART,
            FaultKind.KILL,
            FaultKind.POWER_LOSS,
            FaultKind.KILL_IN_CALL,
            FaultKind.POWER_LOSS_IN_CALL,
            FaultKind.LOSE_VIEWS,
            FaultKind.FAIL_FORCE,
            FaultKind.FAIL_WRITE,
            FaultKind.FILL);

    private final GroupSimulation run;
    private final SplittableRandom random;
    private final boolean readsOffsetsOften;
    private int actions;

    Course(GroupSimulation run, SplittableRandom random) {
        this.run = run;
        this.random = random;
        this.readsOffsetsOften = random.nextInt(3) == 0;
    }

    /** What goes wrong in the run of a seed. */
    static FaultPlan plan(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        EnumSet<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        if (random.nextInt(2) == 0) {
            kinds.addAll(OF_NETWORK);
        }
        if (random.nextInt(2) == 0) {
            kinds.addAll(OF_BROKER);
        }
        List<String> clients = new ArrayList<>(List.of(Sender.NAME));
        for (Group.Kind kind : Group.Kind.values()) {
            for (int i = 0; i < MEMBERS; i++) {
                clients.add(Members.name(kind, i));
            }
        }
        FaultPlan.Cast cast = new FaultPlan.Cast(List.of(), Layout.SMALLEST.brokerNames(), clients);
        return FaultPlan.draw(seed, cast, kinds, FAULTS_FROM_MS, FAULTS_TO_MS);
    }

    boolean goesOn() {
        return actions < ACTIONS;
    }

    /** Whether offsets are asked for all the time; each question makes the broker log them. */
    boolean readsOffsetsOften() {
        return readsOffsetsOften;
    }

    /** How long nothing else happens. */
    long pauseMs() {
        return random.nextInt(LONGEST_PAUSE_MS);
    }

    /** Does one thing, whatever it is. */
    void act() {
        actions++;
        int dice = random.nextInt(100);
        if (dice < 50) {
            send();
        } else if (dice < 60) {
            someGroup().join();
        } else if (dice < 66) {
            someGroup().leave();
        } else if (dice < 71) {
            someGroup().vanish();
        } else if (dice < 78) {
            run.readOffsets(run.groups().get(random.nextInt(2)));
        } else if (dice < 82) {
            List<MessageQueue> queues = run.queues();
            run.resetOffset(
                    run.groups().get(random.nextInt(2)).group(), queues.get(random.nextInt(queues.size())), random);
        }
    }

    private Members someGroup() {
        List<Members> groups = run.groups();
        return groups.get(random.nextInt(groups.size()));
    }

    private void send() {
        List<MessageQueue> queues = run.queues();
        @Nullable MessageQueue queue = random.nextBoolean() ? null : queues.get(random.nextInt(queues.size()));
        int messages = 1 + random.nextInt(MOST_MESSAGES);
        for (int i = 0; i < messages; i++) {
            run.sender().send(queue);
        }
    }
}
