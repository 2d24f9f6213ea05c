package dev.perigee.cli;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, or SIGTERM, during a command that runs until then: tells the command to end, and keeps the process alive until the
 * command has ended in order. It waits for {@link #close}, never for the command's thread: that one leads on to {@code System.exit},
 * which itself waits until the process has stopped.
 */
@ThreadSafe
final class CtrlC implements AutoCloseable {
    /** A command that takes longer to end is cut off. */
    private static final long END_LIMIT_MS = 30_000;

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::endCommand, "ctrl-c");

    CtrlC() {}

    /** Begins to listen; to be closed when the command has done everything it does, output included. */
    static CtrlC watch() {
        CtrlC ctrlC = new CtrlC();
        Runtime.getRuntime().addShutdownHook(ctrlC.hook);
        return ctrlC;
    }

    /** Whether the command should end. */
    boolean isWanted() {
        return wanted.getCount() == 0;
    }

    /** Waits that long, or until the command should end. True when it should. */
    boolean await(long timeoutMs) throws InterruptedException {
        return wanted.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** Tells the command to end and waits until it has. Blocks, up to half a minute. */
    void endCommand() {
        wanted.countDown();
        try {
            if (!ended.await(END_LIMIT_MS, TimeUnit.MILLISECONDS)) {
                System.err.println("perigee: the end took longer than " + END_LIMIT_MS + " ms and is cut off");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command has ended. Idempotent. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is stopping already, and the hook ends by itself
        }
    }
}
