package dev.perigee.broker.fact;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.Store;
import dev.perigee.store.append.FactListener;
import org.jspecify.annotations.Nullable;

/**
 * The store, for parts that are made before it: views and duties are handed to the store when it opens, but duties need
 * the open store. Connected once, before anything runs.
 */
@ThreadSafe
public final class StoreLink implements AppliedLog, FactAppender {
    private volatile @Nullable Store store;

    /** The store is open. */
    public void connect(Store opened) {
        store = opened;
    }

    @Override
    public void append(Fact fact, FactListener listener) {
        store().facts().append(fact, listener);
    }

    @Override
    public long confirmOffset() {
        return store().log().confirmOffset();
    }

    @Override
    public long appliedOffset() {
        return store().viewLoop().appliedOffset();
    }

    @Override
    public boolean whenApplied(long offset, Runnable task) {
        return store().whenApplied(offset, task);
    }

    /** Makes the view loop run soon; nothing before the store is open. */
    public void wake() {
        Store opened = store;
        if (opened != null) {
            opened.wakeViews();
        }
    }

    private Store store() {
        Store opened = store;
        if (opened == null) {
            throw new IllegalStateException("the store is not open yet");
        }
        return opened;
    }
}
