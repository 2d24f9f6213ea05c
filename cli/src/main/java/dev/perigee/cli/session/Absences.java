package dev.perigee.cli.session;

import dev.perigee.cli.output.Harmless;
import dev.perigee.loop.OwnedBy;
import java.io.PrintWriter;
import java.util.Set;
import java.util.TreeSet;

/** Tells a person which brokers went away while a command goes on until Ctrl-C, once each, and when they are back. */
@OwnedBy("command thread")
public final class Absences {
    private final PrintWriter err;
    private final Set<String> away = new TreeSet<>();

    /** @param err where it is told, apart from the messages */
    public Absences(PrintWriter err) {
        this.err = err;
    }

    /**
     * Somebody did not answer, for a reason that passes.
     *
     * @param who for instance {@code broker broker-a}
     */
    public void isAway(String who, String reason) {
        if (away.add(who)) {
            tell(who + " is away (" + reason + "); waiting for it until Ctrl-C");
        }
    }

    /** Somebody answered. */
    public void isHere(String who) {
        if (away.remove(who)) {
            tell(who + " answers again");
        }
    }

    private void tell(String text) {
        err.println("perigee: " + Harmless.part(text));
        err.flush();
    }
}
