package dev.perigee.client.instance;

import dev.perigee.remoting.call.Deadline;

/** What else has to end when a client closes, besides its own work. For the library's own packages. */
public interface Closing {
    /** Nothing else. */
    Closing NOTHING = new Closing() {
        @Override
        public void awaitWork(Deadline deadline) {}

        @Override
        public void left(long waitMs) {}
    };

    /** Messages are refused from now on; what began before may end until the deadline. Blocks; an interrupt ends it and stays set. */
    void awaitWork(Deadline deadline);

    /**
     * Brokers have been told that the client leaves; connections are open for the last time.
     *
     * @param waitMs how long this may block; 0 in a callback
     */
    void left(long waitMs);
}
