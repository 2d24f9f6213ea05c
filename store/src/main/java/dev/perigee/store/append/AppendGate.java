package dev.perigee.store.append;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.tail.Bell;

/** The door between those who append and the log loop: admits or refuses, and wakes the loop. */
@ThreadSafe
public final class AppendGate {
    private enum State {
        OPEN,
        DISK_FULL,
        CLOSED
    }

    private final Inbox inbox;
    private final OneOffSpace oneOffs;
    private final OneOffSpace factSpace;
    private final int maxUnitBytes;
    private final int chunkBytes;
    private final Bell logBell;
    private volatile State state = State.OPEN;

    public AppendGate(LogLoopConfig config, Bell logBell) {
        this.inbox = new Inbox(config.inboxRequests(), config.inboxBytes());
        this.oneOffs = new OneOffSpace(config.inboxBytes());
        this.factSpace = new OneOffSpace(config.inboxBytes());
        this.maxUnitBytes = config.maxUnitBytes();
        this.chunkBytes = config.chunkBytes();
        this.logBell = logBell;
    }

    /** A new appender for one event loop. */
    public Appender newAppender() {
        return new Appender(this, chunkBytes);
    }

    int maxUnitBytes() {
        return maxUnitBytes;
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
        return switch (state) {
            case OPEN -> AppendResult.APPENDED;
            case DISK_FULL -> AppendResult.DISK_FULL;
            case CLOSED -> AppendResult.NOT_WRITABLE;
        };
    }

    /** Whether anything may be appended at all. Any thread. */
    public boolean isOpen() {
        return state != State.CLOSED;
    }

    boolean closed() {
        return state == State.CLOSED;
    }

    /** Refuses ordinary requests while space is short, or admits them again. */
    public void diskFull(boolean full) {
        if (state != State.CLOSED) {
            state = full ? State.DISK_FULL : State.OPEN;
        }
    }

    /** Whether ordinary requests are refused for want of space. */
    public boolean isDiskFull() {
        return state == State.DISK_FULL;
    }

    /** Whether many requests wait for the log loop. Any thread. */
    public boolean isBusy() {
        return inbox.isBusy();
    }

    /** Refuses everything from now on. */
    public void close() {
        state = State.CLOSED;
    }

    /** Queues a request for the log loop; false when the inbox is full. */
    boolean offer(AppendRequest request) {
        if (!inbox.offer(request)) {
            return false;
        }
        logBell.ring();
        return true;
    }
}
