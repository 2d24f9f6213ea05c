package dev.perigee.faults.machine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What everything that one rig makes on the machine is called: it begins with the process that made it, so that a later rig knows what a
 * dead one left behind. Short, because the name of a network interface has 15 characters at most.
 */
public final class RigName {
    private static final Pattern OF_A_RIG = Pattern.compile("pgr(\\d+)-\\d+[a-z]*");
    private static final int NAMES = 100;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name;

    private RigName(String name) {
        this.name = name;
    }

    /** A name no other rig has. */
    public static RigName next() {
        return ofProcess(ProcessHandle.current().pid());
    }

    /** The next name of that process. */
    static RigName ofProcess(long pid) {
        return new RigName("pgr" + pid + "-" + COUNT.incrementAndGet() % NAMES);
    }

    /** The name of one of its parts; {@code part} is one or two letters. */
    public String of(String part) {
        return name + part;
    }

    /** Whether a rig made that whose process is gone. */
    static boolean isLeftBehind(String anything) {
        Matcher ours = OF_A_RIG.matcher(anything);
        return ours.matches()
                && ProcessHandle.of(Long.parseLong(ours.group(1)))
                        .filter(ProcessHandle::isAlive)
                        .isEmpty();
    }

    @Override
    public String toString() {
        return name;
    }
}
