package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.log.LogHorizon;
import dev.perigee.store.receive.CutOrder;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceiveRefusedException.Reason;
import dev.perigee.store.receive.Received;
import dev.perigee.store.receive.ReceivedBytes;
import dev.perigee.store.tail.Flusher;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of the log loop that follows another node's log: takes bytes in and cuts, in the order in which they came. A cut waits
 * for the disk, so it is lent to the flusher, and nothing else is done until that has carried it out.
 */
@OwnedBy("log loop")
final class ReceivePass {
    /** Items taken in one pass at most. */
    private static final int BATCH_ITEMS = 256;

    private static final Logger LOG = LoggerFactory.getLogger(ReceivePass.class);

    private record Written(ReceivedBytes bytes, long endOffset) {}

    private final ReceiveInbox inbox;
    private final LogTail tail;
    private final LogHorizon horizon;
    private final Replication replication;
    private final Flusher flusher;
    private final List<Written> written = new ArrayList<>();
    /** What waits for the flusher to say in the mark that bytes are received. */
    private @Nullable ReceivedBytes held;
    /** What comes next once the bytes before it are told of; and what the flusher carries out. */
    private @Nullable CutOrder nextCut;

    private @Nullable CutOrder cutting;

    ReceivePass(ReceiveInbox inbox, LogTail tail, Replication replication, Flusher flusher) {
        this.inbox = inbox;
        this.tail = tail;
        this.horizon = tail.horizon();
        this.replication = replication;
        this.flusher = flusher;
    }

    /** Whether the tail is lent to the flusher. */
    boolean isCutting() {
        return cutting != null;
    }

    /** Whether nothing waits to be taken or told of. */
    boolean isIdle() {
        return cutting == null && nextCut == null && held == null && inbox.isEmpty();
    }

    /**
     * Writes what came, up to a cut and within the limits of a pass. The caller publishes the new end and then calls {@link #tell}.
     *
     * @return how many items were taken
     */
    int take() throws IOException {
        ReceivedBytes first = held;
        held = null;
        int taken = first != null && take(first) ? 1 : 0;
        return takeMore(taken, Integer.MAX_VALUE);
    }

    /**
     * As {@link #take}, but only bytes, of the segment at hand, and not many: nothing that may wait.
     *
     * @param maxBytes of all that is taken
     */
    int takeShort(int maxBytes) throws IOException {
        return held == null ? takeMore(0, maxBytes) : 0;
    }

    private int takeMore(int before, int maxBytes) throws IOException {
        int taken = before;
        int leftBytes = maxBytes;
        while (taken < BATCH_ITEMS
                && nextCut == null
                && held == null
                && tail.mayTakeMore()
                && !tail.isOutOfSpace()
                && !tail.isBatchFull()) {
            if (maxBytes != Integer.MAX_VALUE && !isShort(inbox.peek(), leftBytes)) {
                break;
            }
            Received next = inbox.poll();
            if (next == null) {
                break;
            }
            taken++;
            leftBytes -= next.sizeBytes();
            if (next instanceof CutOrder order) {
                nextCut = order;
            } else if (next instanceof ReceivedBytes bytes) {
                take(bytes);
            }
        }
        tail.flushBatch();
        return taken;
    }

    /** Whether an item can be taken in a short pass: the segment has room for it, and the mark says that such bytes come. */
    private boolean isShort(@Nullable Received next, int leftBytes) {
        return next instanceof ReceivedBytes
                && next.sizeBytes() <= leftBytes
                && tail.fits(next.sizeBytes())
                && flusher.isReceiving(tail.logId());
    }

    /** Writes bytes, refuses them, or holds them back until the mark says that such are received: then gives false. */
    private boolean take(ReceivedBytes bytes) throws IOException {
        if (!replication.mayReceive(bytes.sender().session())) {
            refuse(bytes, notReceiving(bytes.sender().session()));
            return true;
        }
        try {
            long logId = tail.logIdOf(bytes.bytes(), bytes.offset());
            if (bytes.bytes().hasRemaining() && !flusher.isReceiving(logId)) {
                flusher.receive(logId);
                held = bytes;
                return false;
            }
            tail.receive(bytes.bytes(), bytes.offset());
            written.add(new Written(bytes, tail.end()));
            return true;
        } catch (ReceiveRefusedException e) {
            refuse(bytes, e);
            return true;
        } catch (IOException e) {
            refuse(bytes, notReceiving());
            throw e;
        }
    }

    /** Tells of everything that was written, and orders the cut that came behind it. */
    void tell() {
        for (int i = 0; i < written.size(); i++) {
            Written done = written.get(i);
            replication.received(done.bytes().sender(), done.endOffset());
            try {
                done.bytes().listener().received(done.bytes(), done.endOffset());
            } catch (RuntimeException e) {
                LOG.error(
                        "event=receive_listener_failed offset={}", done.bytes().offset(), e);
            }
        }
        written.clear();
    }

    /**
     * Orders from the flusher what has to come before anything else: the mark, or a cut if one comes next, for which the tail is
     * lent to it; after all before was told and confirmed. From here on nobody reads what will be cut.
     *
     * @return whether the flusher is to be woken
     */
    boolean order() {
        CutOrder order = nextCut;
        if (order == null) {
            return held != null;
        }
        nextCut = null;
        long endOffset = order.endOffset();
        if (!replication.mayCut(order.session(), endOffset)) {
            refuse(order, notReceiving(order.session()));
            return false;
        }
        try {
            tail.checkCut(endOffset);
        } catch (ReceiveRefusedException e) {
            refuse(order, e);
            return false;
        }
        if (endOffset == tail.end()) {
            tellCut(order);
            return false;
        }
        LOG.warn("event=log_cut_begins endOffset={} from={} session={}", endOffset, tail.end(), order.session());
        horizon.end(endOffset);
        horizon.synced(Math.min(horizon.synced(), endOffset));
        cutting = order;
        flusher.cut(new Flusher.Cut(endOffset, tail.epochAt(endOffset), () -> tail.truncateTo(endOffset)));
        return true;
    }

    /**
     * Takes the tail back once the flusher is through.
     *
     * @return what was flushed in the generation that begins with the cut; null while it is under way
     */
    Flusher.@Nullable Flushed finishCut() {
        CutOrder order = cutting;
        if (order == null || flusher.isCutting()) {
            return null;
        }
        cutting = null;
        Flusher.Flushed reached = flusher.flushed();
        horizon.synced(reached.endOffset());
        replication.truncated(reached.generation(), reached.endOffset());
        replication.flushed(reached.generation(), reached.endOffset());
        LOG.info("event=log_cut endOffset={} generation={}", reached.endOffset(), reached.generation());
        tellCut(order);
        return reached;
    }

    /** The log has failed: what was written or is being cut is of unknown outcome, and nobody waits for it any more. */
    void fail() {
        List<Written> lost = List.copyOf(written);
        written.clear();
        lost.forEach(bytes -> refuse(bytes.bytes(), notReceiving()));
        CutOrder order = cutting;
        if (order != null) {
            cutting = null;
            refuse(order, notReceiving());
        }
    }

    /** Turns away what waits: this node does not receive, or its log is closed or has failed. */
    int refuseAll() {
        int refused = 0;
        ReceivedBytes waiting = held;
        if (waiting != null) {
            held = null;
            refuse(waiting, notReceiving());
        }
        CutOrder order = nextCut;
        if (order != null) {
            nextCut = null;
            refuse(order, notReceiving());
        }
        for (Received next = inbox.poll(); next != null; next = refused < BATCH_ITEMS ? inbox.poll() : null) {
            refused++;
            refuse(next, notReceiving());
        }
        return refused;
    }

    private ReceiveRefusedException notReceiving() {
        return new ReceiveRefusedException(
                Reason.NOT_RECEIVING, tail.end(), "a log that receives", "one that does not");
    }

    private ReceiveRefusedException notReceiving(long session) {
        return new ReceiveRefusedException(
                Reason.NOT_RECEIVING, tail.end(), "what is received now", "session " + Long.toHexString(session));
    }

    private static void refuse(Received received, ReceiveRefusedException why) {
        try {
            if (received instanceof ReceivedBytes bytes) {
                bytes.listener().refused(bytes, why);
            } else if (received instanceof CutOrder order) {
                order.listener().refused(order, why);
            }
        } catch (RuntimeException e) {
            LOG.error("event=receive_listener_failed refusal={}", why.getMessage(), e);
        }
    }

    private static void tellCut(CutOrder order) {
        try {
            order.listener().cut(order);
        } catch (RuntimeException e) {
            LOG.error("event=cut_listener_failed endOffset={}", order.endOffset(), e);
        }
    }
}
