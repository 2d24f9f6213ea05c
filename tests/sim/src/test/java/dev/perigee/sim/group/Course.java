package dev.perigee.sim.group;

import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.sim.cluster.Cable;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a run, drawn action by action. Some runs have a sound network, some a broker that stays up, some both, so
 * that what has to hold only then is looked at as well.
 */
final class Course {
    /** Time between two looks at the groups. */
    static final long LOOK_MS = 250;

    private static final int ACTIONS = 40;
    private static final int MOST_MESSAGES = 8;
    private static final int LONGEST_PAUSE_MS = 1_500;
    private static final int LONGEST_OUTAGE_MS = 3_000;

    private final GroupSimulation run;
    private final SplittableRandom random;
    private final boolean hasBadNetwork;
    private final boolean hasBadBroker;
    private final boolean readsOffsetsOften;
    private int actions;
    private int badWeatherUntil;

    Course(GroupSimulation run, SplittableRandom random) {
        this.run = run;
        this.random = random;
        this.hasBadNetwork = random.nextInt(2) == 0;
        this.hasBadBroker = random.nextInt(2) == 0;
        this.readsOffsetsOften = random.nextInt(3) == 0;
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
    void act() throws Exception {
        actions++;
        if (!run.machine().isUp()) {
            startBroker(); // it has ended by itself
        }
        if (actions == badWeatherUntil) {
            clearUp();
        }
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
        } else if (dice < 80) {
            List<MessageQueue> queues = run.queues();
            run.resetOffset(
                    run.groups().get(random.nextInt(2)).group(), queues.get(random.nextInt(queues.size())), random);
        } else if (dice < 90) {
            harmNetwork();
        } else {
            harmBroker();
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

    private void harmNetwork() {
        if (!hasBadNetwork) {
            return;
        }
        List<Cable> cables = run.cables();
        Cable cable = cables.get(random.nextInt(cables.size()));
        switch (random.nextInt(3)) {
            case 0 -> {
                run.ledger().note("a cable is cut");
                cable.cut();
            }
            case 1 -> {
                run.ledger().note("a cable is bad");
                cable.weather(new Cable.Weather(random.nextInt(30), random.nextInt(2_000)));
                badWeatherUntil = actions + 1 + random.nextInt(8);
            }
            default -> {
                Cable.Weather weather = new Cable.Weather(random.nextInt(8), random.nextInt(50));
                run.ledger().note("all cables are bad: " + weather);
                cables.forEach(one -> one.weather(weather));
                badWeatherUntil = actions + 1 + random.nextInt(8);
            }
        }
    }

    private void clearUp() {
        run.ledger().note("all cables are good");
        run.cables().forEach(cable -> cable.weather(Cable.Weather.FINE));
    }

    private void harmBroker() throws Exception {
        if (!hasBadBroker) {
            return;
        }
        BrokerMachine machine = run.machine();
        switch (random.nextInt(6)) {
            case 0 -> {
                run.ledger().note("broker restarts");
                machine.stop();
                startBroker();
            }
            case 1 -> end(BrokerMachine.End.POWER_LOST);
            case 2 -> end(BrokerMachine.End.KILLED);
            case 3 -> {
                run.ledger().note("the next force fails");
                machine.failNextForce();
            }
            case 4 -> {
                run.ledger().note("the next write fails");
                machine.failNextWrite();
            }
            default -> {
                run.ledger().note("the disk is full");
                machine.fill(true);
                run.cluster().pass(random.nextInt(LONGEST_OUTAGE_MS));
                machine.fill(false);
            }
        }
    }

    private void end(BrokerMachine.End how) throws Exception {
        run.ledger().note(how.toString());
        run.machine().end(how);
        run.cluster().pass(random.nextInt(LONGEST_OUTAGE_MS));
        startBroker();
    }

    private void startBroker() throws Exception {
        run.ledger().note("broker starts");
        run.machine().start();
        run.ledger().startBroker();
        run.readMessages();
    }

    /** Ends all that misbehaves. */
    void repair() throws Exception {
        clearUp();
        run.machine().heal();
        if (!run.machine().isUp()) {
            startBroker();
        }
    }
}
