package dev.perigee.faults.cluster;

import dev.perigee.faults.machine.Moment;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.harness.RemotingProbe.Line;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A question that is asked over and over, over one connection while that holds. For one thread. */
final class Poll {
    /** Longer than a member keeps a request for its leader. */
    private static final int PATIENCE_MS = 5_000;

    private final String address;
    private final long everyMs;
    private final Question question;
    private @Nullable Line line;

    /** What is asked; an answer that does not come throws. */
    interface Question {
        void ask(Line line) throws IOException;
    }

    Poll(String address, long everyMs, Question question) {
        this.address = address;
        this.everyMs = everyMs;
        this.question = question;
    }

    /** Asks until it is enough. Blocks. */
    void run(BooleanSupplier enough) {
        while (!enough.getAsBoolean()) {
            try {
                if (line == null) {
                    line = RemotingProbe.open(address, PATIENCE_MS);
                }
                question.ask(line);
            } catch (IOException | RuntimeException notNow) {
                hangUp();
            }
            Moment.afterMs(everyMs);
        }
        hangUp();
    }

    /** A late answer would be taken for that of the next question. */
    private void hangUp() {
        Line old = line;
        line = null;
        if (old != null) {
            try {
                old.close();
            } catch (IOException gone) {
                // as it should be
            }
        }
    }
}
