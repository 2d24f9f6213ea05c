package dev.perigee.bench.runner;

import dev.perigee.harness.JavaProcess;

/** A name server and one broker, freshly started on empty folders. */
interface Server extends AutoCloseable {
    /** Where clients begin. */
    String nameServer();

    /** The process whose CPU time is counted. */
    JavaProcess broker();

    @Override
    void close();
}
