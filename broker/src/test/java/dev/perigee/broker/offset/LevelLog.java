package dev.perigee.broker.offset;

import dev.perigee.broker.fact.AppliedLog;

/** A log without a frame, which its views are level with: who waits for them goes on at once. */
enum LevelLog implements AppliedLog {
    EMPTY;

    @Override
    public long confirmOffset() {
        return 0;
    }

    @Override
    public long appliedOffset() {
        return 0;
    }

    @Override
    public boolean whenApplied(long offset, Runnable task) {
        task.run();
        return true;
    }
}
