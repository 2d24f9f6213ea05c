package dev.perigee.client.trace;

import dev.perigee.client.work.ClientLoop;
import dev.perigee.protocol.message.Message;
import java.util.concurrent.CompletableFuture;

/** Carries trace messages: a producer of its own, or what a test puts in its place. */
public interface TraceOutlet extends AutoCloseable {
    /** Starts it. */
    void start();

    /** Sends a message; must not block. The future fails when it is not known to be stored. */
    CompletableFuture<?> send(Message message);

    /** Runs the timer of the notes. */
    ClientLoop loop();

    /** Waits for what is under way, within a bound of its own, and ends. Blocks. */
    @Override
    void close();
}
