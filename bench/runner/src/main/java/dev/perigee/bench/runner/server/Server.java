package dev.perigee.bench.runner.server;

import dev.perigee.harness.JavaProcess;
import java.io.IOException;

/** One broker, with a name server where its kind needs one, freshly started on empty folders. */
public interface Server extends Watched, AutoCloseable {
    /** Where clients begin. */
    String bootstrap();

    /** The process of the broker, of several the master's. */
    JavaProcess broker();

    @Override
    default long cpuMillis() throws IOException {
        return broker().cpuMillis();
    }

    /**
     * Asks for how long the slave of a Perigee pair has been behind; to be closed.
     *
     * @throws UnsupportedOperationException of any other server
     */
    default SlaveLag slaveLag() throws IOException {
        throw new UnsupportedOperationException("no slave that its master tells the lag of");
    }

    @Override
    void close();
}
