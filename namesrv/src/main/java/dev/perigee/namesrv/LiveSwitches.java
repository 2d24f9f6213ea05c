package dev.perigee.namesrv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.namesrv.NameServerConfig.Switches;
import java.util.function.Supplier;

/** The settings that may change while the server runs, behind the one reference through which they change. */
@ThreadSafe
final class LiveSwitches implements Supplier<Switches> {
    private volatile Switches current;

    LiveSwitches(Switches initial) {
        this.current = initial;
    }

    @Override
    public Switches get() {
        return current;
    }

    /** Replaces the settings; at the start and then only by the one task at a time that keeps changes. */
    void set(Switches changed) {
        current = changed;
    }
}
