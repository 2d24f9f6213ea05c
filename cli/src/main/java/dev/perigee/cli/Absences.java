package dev.perigee.cli;

import dev.perigee.cli.output.Harmless;
import dev.perigee.loop.OwnedBy;
import java.io.PrintWriter;
import java.util.Set;
import java.util.TreeSet;

/** Tells a person which brokers went away while a command follows a topic, once each, and when they are back. */
@OwnedBy("command thread")
final class Absences {
    private final PrintWriter err;
    private final Set<String> away = new TreeSet<>();

    /** @param err where it is told, apart from the messages */
    Absences(PrintWriter err) {
        this.err = err;
    }

    /** A broker did not answer, for a reason that passes. */
    void isAway(String broker, String reason) {
        if (away.add(broker)) {
            tell("broker " + broker + " is away (" + reason + "); waiting for it until Ctrl-C");
        }
    }

    /** A broker answered. */
    void isHere(String broker) {
        if (away.remove(broker)) {
            tell("broker " + broker + " answers again");
        }
    }

    private void tell(String text) {
        err.println("perigee: " + Harmless.part(text));
        err.flush();
    }
}
