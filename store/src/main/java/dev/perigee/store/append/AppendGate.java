package dev.perigee.store.append;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.tail.Bell;
import java.util.concurrent.Executor;

/** The door between those who append and the log loop: admits or refuses, and wakes the loop. */
@ThreadSafe
public final class AppendGate {
    private final Inbox inbox;
    private final OneOffSpace oneOffs;
    private final OneOffSpace factSpace;
    private final int maxUnitBytes;
    private final int maxOwnUnitBytes;
    private final int chunkBytes;
    private final Bell logBell;
    /** Never opens again; apart from the other switch, so that neither setter can undo the other. */
    private volatile boolean closed;

    private volatile boolean diskFull;

    public AppendGate(LogLoopConfig config, Bell logBell) {
        this.inbox = new Inbox(config.inboxRequests(), config.inboxBytes());
        this.oneOffs = new OneOffSpace(config.inboxBytes());
        this.factSpace = new OneOffSpace(config.inboxBytes());
        this.maxUnitBytes = config.maxUnitBytes();
        this.maxOwnUnitBytes = config.maxOwnUnitBytes();
        this.chunkBytes = config.chunkBytes();
        this.logBell = logBell;
    }

    /** A new appender for one event loop, which runs a task at the end of its turn. */
    public Appender newAppender(Executor turn) {
        return new Appender(this, chunkBytes, turn);
    }

    /** The largest unit of a client. */
    int maxUnitBytes() {
        return maxUnitBytes;
    }

    /** The largest unit of the broker's own: a fact, or a frame made of a stored one. */
    int maxOwnUnitBytes() {
        return maxOwnUnitBytes;
    }

    Inbox inbox() {
        return inbox;
    }

    OneOffSpace oneOffs() {
        return oneOffs;
    }

    OneOffSpace factSpace() {
        return factSpace;
    }

    /** Why an ordinary request is refused now, or APPENDED when it is not. */
    AppendResult admission() {
        if (closed) {
            return AppendResult.NOT_WRITABLE;
        }
        return diskFull ? AppendResult.DISK_FULL : AppendResult.APPENDED;
    }

    /** Whether anything may be appended at all. Any thread. */
    public boolean isOpen() {
        return !closed;
    }

    boolean closed() {
        return closed;
    }

    /** Refuses ordinary requests while space is short, or admits them again. */
    public void diskFull(boolean full) {
        diskFull = full;
    }

    /** Whether ordinary requests are refused for want of space. */
    public boolean isDiskFull() {
        return diskFull && !closed;
    }

    /** Whether many requests wait for the log loop. Any thread. */
    public boolean isBusy() {
        return inbox.isBusy();
    }

    /** Refuses everything from now on. */
    public void close() {
        closed = true;
    }

    /** Queues a request for the log loop and wakes it; false when the inbox is full. */
    boolean offer(AppendRequest request) {
        if (!inbox.offer(request)) {
            return false;
        }
        logBell.ring();
        return true;
    }

    /** Queues a request; false when the inbox is full. The caller sees to it that the log loop runs. */
    boolean enqueue(AppendRequest request) {
        return inbox.offer(request);
    }

    /** Wakes the log loop. */
    void ring() {
        logBell.ring();
    }

    /** Does the log loop's short pass on this thread when the loop is parked; wakes it otherwise. */
    void ringOrRun() {
        logBell.ringOrRun();
    }
}
