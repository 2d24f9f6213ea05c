package dev.perigee.remoting;

import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Passes everything on until a step that a test names, which fails in a way nobody foresaw. */
public final class FailingTransport implements Transport {
    /** A step of a start. */
    public enum Step {
        SECOND_BIND,
        REPEATED_TASK
    }

    private final Transport behind;
    private final Step failing;
    private int binds;

    public FailingTransport(Transport behind, Step failing) {
        this.behind = behind;
        this.failing = failing;
    }

    @Override
    public int loopCount() {
        return behind.loopCount();
    }

    @Override
    public LoopExecutor loop(int index) {
        return failing == Step.REPEATED_TASK ? new FailingLoop(behind.loop(index)) : behind.loop(index);
    }

    @Override
    public OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor)
            throws IOException {
        if (++binds == 2 && failing == Step.SECOND_BIND) {
            throw new IllegalStateException("on purpose");
        }
        return behind.bind(address, options, acceptor);
    }

    @Override
    public void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        behind.connect(address, options, events, failed);
    }

    private record FailingLoop(LoopExecutor behind) implements LoopExecutor {
        @Override
        public int index() {
            return behind.index();
        }

        @Override
        public boolean inLoop() {
            return behind.inLoop();
        }

        @Override
        public void execute(Runnable task) {
            behind.execute(task);
        }

        @Override
        public Scheduled schedule(long delayMs, Runnable task) {
            return behind.schedule(delayMs, task);
        }

        @Override
        public Scheduled every(long periodMs, Runnable task) {
            throw new IllegalStateException("on purpose");
        }
    }
}
