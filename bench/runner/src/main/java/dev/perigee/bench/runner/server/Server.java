package dev.perigee.bench.runner.server;

import dev.perigee.harness.JavaProcess;

/** One broker, with a name server where its kind needs one, freshly started on empty folders. */
public interface Server extends AutoCloseable {
    /** Where clients begin. */
    String bootstrap();

    /** The process whose CPU time is counted. */
    JavaProcess broker();

    @Override
    void close();
}
