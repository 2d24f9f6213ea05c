package dev.perigee.store.tail;

import dev.perigee.loop.ThreadSafe;

/** Wakes a loop that may not have a thread yet: silent until it is tied to a driver. */
@ThreadSafe
public final class Bell {

    private volatile Runnable wake = () -> {};

    /** Ties the bell to a driver's wake. */
    public void tie(Runnable driverWake) {
        wake = driverWake;
    }

    public void ring() {
        wake.run();
    }
}
