package dev.perigee.store.tail;

import dev.perigee.loop.LoopDriver;
import dev.perigee.loop.ThreadSafe;
import org.jspecify.annotations.Nullable;

/** Makes a loop run that may not have a thread yet: silent until it is tied to a driver. */
@ThreadSafe
public final class Bell {

    private volatile @Nullable LoopDriver driver;

    /** Ties the bell to the driver of its loop. */
    public void tie(LoopDriver loopDriver) {
        driver = loopDriver;
    }

    /** Wakes the loop's own thread. Cheap; from any thread. */
    public void ring() {
        LoopDriver tied = driver;
        if (tied != null) {
            tied.wake();
        }
    }

    /** Does the loop's next short pass on this thread when the loop is parked, else wakes its own thread. */
    public void ringOrRun() {
        LoopDriver tied = driver;
        if (tied != null) {
            tied.runOrWake();
        }
    }
}
