package dev.perigee.raft.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** A network that loses, delays, doubles and reorders, and that can be cut in each direction. */
final class Wire {
    private static final int PERCENT = 100;

    private final Timetable timetable;
    private final RandomGenerator chance;
    private final Map<String, Machine> machines = new HashMap<>();
    private final Set<String> cuts = new HashSet<>();
    private int lossPercent;
    private int doublePercent;
    private int latePercent;

    Wire(Timetable timetable, RandomGenerator chance) {
        this.timetable = timetable;
        this.chance = chance;
    }

    void connect(Machine machine) {
        machines.put(machine.id(), machine);
    }

    void weather(int newLossPercent, int newDoublePercent, int newLatePercent) {
        lossPercent = newLossPercent;
        doublePercent = newDoublePercent;
        latePercent = newLatePercent;
    }

    boolean isCalm() {
        return lossPercent + doublePercent + latePercent == 0;
    }

    void cut(String from, String to) {
        cuts.add(from + ">" + to);
    }

    void heal() {
        cuts.clear();
    }

    void send(String from, String to, Consumer<Machine> frame) {
        Machine machine = machines.get(to);
        if (machine == null || chance.nextInt(PERCENT) < lossPercent) {
            return;
        }
        int copies = chance.nextInt(PERCENT) < doublePercent ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            long delayMs = chance.nextInt(PERCENT) < latePercent ? chance.nextInt(100) : 1 + chance.nextInt(4);
            timetable.in(delayMs, () -> {
                if (!cuts.contains(from + ">" + to)) {
                    machine.receive(() -> frame.accept(machine));
                }
            });
        }
    }
}
