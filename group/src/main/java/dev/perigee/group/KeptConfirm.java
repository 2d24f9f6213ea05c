package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.replica.follow.Confirmed;
import dev.perigee.replica.follow.ConfirmedDuty;
import dev.perigee.replica.follow.ConfirmedFile;
import dev.perigee.replica.follow.ConfirmedKeeper;
import dev.perigee.store.Store;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.view.Duty;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * How far the log was known to be confirmed when this node stopped, and from then on, from the moment when the log is open: the store wants its
 * duties before.
 */
@ThreadSafe
final class KeptConfirm implements Duty {
    private final Disk disk;
    private final FlushMode flushMode;
    private final Refill refill;
    private final Confirmed before;
    private volatile @Nullable ConfirmedDuty duty;

    /**
     * Of a folder.
     *
     * @throws IOException when it cannot be read, or what was kept there is damaged
     */
    KeptConfirm(Disk disk, FlushMode flushMode, Refill refill) throws IOException {
        this.disk = disk;
        this.flushMode = flushMode;
        this.refill = refill;
        this.before = ConfirmedFile.confirmedIn(disk);
    }

    /** Where the log was confirmed to when this node stopped. */
    long offset() {
        return before.offset();
    }

    /**
     * Keeps it from now on, or from when this node is sure again of what it held: until then what was kept says that it is not. What comes in the
     * place of what is gone is not confirmed by that, so then less may be kept than was before. The store's loops do not run yet.
     *
     * @return whether this node may have forgotten what it had answered for
     */
    boolean begin(Store store) throws IOException {
        boolean isLess = before.offset() > store.log().endOffset();
        boolean forgot = mayHaveForgotten(store);
        ConfirmedKeeper keeper =
                new ConfirmedKeeper(disk, store.log(), forgot ? Confirmed.NOTHING : before, store::background);
        if (forgot) {
            refill.onDone(() -> keep(keeper));
        } else {
            if (isLess) {
                keeper.keepHere();
            }
            keep(keeper);
        }
        return forgot;
    }

    /** R5. Under synchronous flush what was confirmed here and is gone was never answered for. */
    private boolean mayHaveForgotten(Store store) {
        boolean isOther = before.offset() > store.log().endOffset()
                || (before.offset() > store.log().startOffset()
                        && epochIdBefore(store, before.offset()) != before.epochId());
        return store.recovery().mayHaveLostTail() || refill.isUnderWay() || (flushMode == FlushMode.ASYNC && isOther);
    }

    private static long epochIdBefore(Store store, long offset) {
        return GroupFacts.endAt(store.log().extent().epochs(), offset).epochId();
    }

    private void keep(ConfirmedKeeper keeper) {
        duty = new ConfirmedDuty(keeper);
    }

    @Override
    public boolean runsEverywhere() {
        return true;
    }

    @Override
    public int doWork(long nowMs) {
        ConfirmedDuty now = duty;
        return now == null ? 0 : now.doWork(nowMs);
    }

    @Override
    public long nextDeadlineMs() {
        ConfirmedDuty now = duty;
        return now == null ? Long.MAX_VALUE : now.nextDeadlineMs();
    }
}
