package dev.perigee.broker.replica.follow;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveListener;
import dev.perigee.store.receive.ReceiveRefusedException;
import dev.perigee.store.receive.ReceivedBytes;
import dev.perigee.store.receive.SenderState;
import java.util.concurrent.atomic.AtomicInteger;

/** One session's way from its event loop into the log loop's inbox, and the word back. */
@ThreadSafe
final class LogHandover implements LogIntake.UnitSink, ReceiveListener {
    /** Hears what became of units; on the log loop, must not block. */
    interface Watcher {
        /** The log took nothing of them, and takes nothing more of this session. */
        void refused(ReceiveRefusedException why);

        /** There is room in the inbox again. */
        void roomAgain();
    }

    private final ReceiveInbox inbox;
    private final long session;
    private final int senderEpoch;
    private final AtomicInteger underWay;
    private final Watcher watcher;

    /** @param underWay counts what was handed over and not taken yet, over all sessions */
    LogHandover(ReceiveInbox inbox, long session, int senderEpoch, AtomicInteger underWay, Watcher watcher) {
        this.inbox = inbox;
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
        if (!taken) {
            underWay.decrementAndGet();
        }
        return taken;
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
