package dev.perigee.bench.runner.server;

import java.io.IOException;
import java.util.OptionalLong;

/** What is looked at while a load runs. */
@FunctionalInterface
public interface Watched {
    /** User and system time of all its brokers so far, in milliseconds. */
    long cpuMillis() throws IOException;

    /** The window begins, or has ended; told before its figures are taken. */
    default void window(boolean begins) {}

    /** By how many bytes a slave is behind its master now; empty where there is none, or it does not say. */
    default OptionalLong lagBytes() {
        return OptionalLong.empty();
    }
}
