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

    @Override
    void close();
}
