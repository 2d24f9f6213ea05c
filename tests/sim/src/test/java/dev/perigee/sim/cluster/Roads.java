package dev.perigee.sim.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How well each process reaches each other one, one way at a time; and whose port is whose. */
public final class Roads {
    /** Stands for everybody. */
    public static final String ANYBODY = "*";

    private record Trouble(String from, String to, Weather weather) {
        boolean isOn(String a, String b) {
            return (from.equals(ANYBODY) || from.equals(a)) && (to.equals(ANYBODY) || to.equals(b));
        }
    }

    private final List<Trouble> troubles = new ArrayList<>();
    private final Map<Integer, String> owners = new HashMap<>();

    void own(int port, String process) {
        owners.put(port, process);
    }

    String ownerOf(int port) {
        return owners.getOrDefault(port, "port-" + port);
    }

    /**
     * Makes the way from one to another worse; troubles on one way add up.
     *
     * @return ends it
     */
    @SuppressWarnings("ReferenceEquality") // of two equal troubles that add up, one ends
    public Runnable trouble(String from, String to, Weather weather) {
        Trouble trouble = new Trouble(from, to, weather);
        troubles.add(trouble);
        return () -> troubles.removeIf(one -> one == trouble);
    }

    /** The way from one to another as it is now. */
    Weather between(String from, String to) {
        Weather weather = Weather.FINE;
        for (Trouble trouble : troubles) {
            if (trouble.isOn(from, to)) {
                weather = weather.and(trouble.weather);
            }
        }
        return weather;
    }

    /** Every way is good again; what is held on its way still takes its time. */
    public void clear() {
        troubles.clear();
    }
}
