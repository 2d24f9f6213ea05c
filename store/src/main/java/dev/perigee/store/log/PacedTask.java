package dev.perigee.store.log;

import java.io.IOException;

/** Background work on files in small steps, done by the preparer. */
@FunctionalInterface
public interface PacedTask {
    /**
     * Does one step: a few milliseconds, at most 4–8 MiB of IO.
     *
     * @return whether another step is to follow
     */
    boolean step() throws IOException;
}
