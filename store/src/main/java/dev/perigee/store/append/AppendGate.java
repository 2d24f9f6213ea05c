package dev.perigee.store.append;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.tail.Bell;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** The door between those who append and the log loop: admits or refuses, and wakes the loop. */
@ThreadSafe
public final class AppendGate {
    private final Inbox inbox;
    private final OneOffSpace oneOffs;
    private final OneOffSpace factSpace;
    private final int chunkBytes;
    private final Bell logBell;
    /** Never opens again; apart from the other switch, so that neither setter can undo the other. */
    private volatile boolean closed;

    private volatile LogLoopConfig limits;
    private volatile boolean diskFull;
    private volatile boolean mayAppend;
    private volatile BooleanSupplier heldUp = () -> false;

    public AppendGate(LogLoopConfig config, Bell logBell) {
        this.inbox = new Inbox(config.inboxRequests(), config.inboxBytes());
        this.oneOffs = new OneOffSpace(config.inboxBytes());
        this.factSpace = new OneOffSpace(config.inboxBytes());
        this.limits = config;
        this.chunkBytes = config.chunkBytes();
        this.logBell = logBell;
    }

    /** A new appender for one event loop, which runs a task at the end of its turn. */
    public Appender newAppender(Executor turn) {
        return new Appender(this, chunkBytes, turn);
    }

    /** The limits that hold for the log at hand: its largest units depend on its segments. */
    LogLoopConfig limits() {
        return limits;
    }

    /** The log at hand has become another one, with other limits. */
    void limits(LogLoopConfig fitting) {
        limits = fitting;
    }

    /** The largest unit of a client. */
    int maxUnitBytes() {
        return limits.maxUnitBytes();
    }

    /** The largest unit of the broker's own: a fact, or a frame made of a stored one. */
    int maxOwnUnitBytes() {
        return limits.maxOwnUnitBytes();
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
        return pressure();
    }

    /** As {@link #admission}, for one that was taken before the gate was closed. */
    AppendResult pressure() {
        if (closed) {
            return AppendResult.APPENDED;
        }
        if (diskFull) {
            return AppendResult.DISK_FULL;
        }
        return heldUp.getAsBoolean() ? AppendResult.VIEWS_HELD_UP : AppendResult.APPENDED;
    }

    /** Names what tells that ordinary requests are refused because views cannot take what is appended. Before any request. */
    public void heldUpWhile(BooleanSupplier isHeldUp) {
        heldUp = isHeldUp;
    }

    /** Whether anything may be appended at all. Any thread. */
    public boolean isOpen() {
        return !closed;
    }

    boolean closed() {
        return closed;
    }

    /** Whether this node is the one that appends; what is submitted when it is not is refused by the log loop. Any thread. */
    public boolean mayAppend() {
        return mayAppend;
    }

    /** Says whether it is; gives whether that is news. Log loop, or before it runs. */
    boolean mayAppend(boolean may) {
        boolean news = may != mayAppend;
        mayAppend = may;
        return news;
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
