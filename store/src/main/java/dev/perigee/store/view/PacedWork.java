package dev.perigee.store.view;

import java.io.IOException;

/** A long piece of disk work cut into steps, so that whoever runs it can let others in between. */
@FunctionalInterface
public interface PacedWork {
    /**
     * Does the next step, a few milliseconds of disk work; may block for that long.
     *
     * @return whether there is more to do
     */
    boolean step() throws IOException;
}
