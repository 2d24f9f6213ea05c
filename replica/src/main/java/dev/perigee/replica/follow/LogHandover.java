package dev.perigee.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.StreamLimits;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveListener;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceivedBytes;
import dev.perigee.store.receive.SenderState;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One session's way from its event loop into the log loop's inbox, and the word back. What comes in one turn of the event loop is
 * taken into the log behind it: a little by the event loop itself when the log loop is parked (ADR 0011); as soon as there is more,
 * the log loop is woken and works beside it.
 */
@ThreadSafe
public final class LogHandover implements LogIntake.UnitSink, ReceiveListener {
    /** Hears what became of units; on the log loop, must not block. */
    public interface Watcher {
        /** The log took nothing of them, and takes nothing more of this session. */
        void refused(ReceiveRefusedException why);

        /** There is room in the inbox again. */
        void roomAgain();
    }

    /** What the event loop may take in itself in one turn. */
    static final int ITEMS_PER_TURN = 8;

    static final int BYTES_PER_TURN = StreamLimits.FRAME_BYTES;

    private final ReceiveInbox inbox;
    private final long session;
    private final int senderEpoch;
    private final AtomicInteger underWay;
    private final Watcher watcher;
    private final Executor turn;
    /** What was handed over in this turn, whose end is planned when it is not 0. Event loop only, like the next. */
    private int itemsInTurn;

    private int bytesInTurn;

    /**
     * @param turn the event loop that offers
     * @param underWay counts what was handed over and not taken yet, over all sessions
     */
    public LogHandover(
            ReceiveInbox inbox, Executor turn, long session, int senderEpoch, AtomicInteger underWay, Watcher watcher) {
        this.inbox = inbox;
        this.turn = turn;
        this.session = session;
        this.senderEpoch = senderEpoch;
        this.underWay = underWay;
        this.watcher = watcher;
    }

    @Override
    public boolean offer(LogUnits units, long confirmOffset) {
        underWay.incrementAndGet();
        SenderState sender = new SenderState(session, senderEpoch, confirmOffset);
        boolean taken = inbox.offer(new ReceivedBytes(sender, units.offset(), units.bytes(), this));
        if (taken) {
            handedOver(units.sizeBytes());
        } else {
            underWay.decrementAndGet();
        }
        return taken;
    }

    private void handedOver(int bytes) {
        boolean wasLittle = isLittle();
        itemsInTurn++;
        bytesInTurn += bytes;
        if (itemsInTurn == 1) {
            try {
                turn.execute(this::turnEnded);
            } catch (RejectedExecutionException e) { // the event loop is stopping
                turnEnded();
            }
        } else if (wasLittle && !isLittle()) {
            inbox.wake();
        }
    }

    private boolean isLittle() {
        return itemsInTurn <= ITEMS_PER_TURN && bytesInTurn <= BYTES_PER_TURN;
    }

    private void turnEnded() {
        boolean little = isLittle();
        itemsInTurn = 0;
        bytesInTurn = 0;
        if (little) {
            inbox.run();
        } else {
            inbox.wake();
        }
    }

    @Override
    public void received(ReceivedBytes bytes, long endOffset) {
        underWay.decrementAndGet();
    }

    @Override
    public void refused(ReceivedBytes bytes, ReceiveRefusedException why) {
        underWay.decrementAndGet();
        watcher.refused(why);
    }

    @Override
    public void roomAgain() {
        watcher.roomAgain();
    }
}
