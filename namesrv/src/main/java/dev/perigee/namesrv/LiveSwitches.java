package dev.perigee.namesrv;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.namesrv.NameServerConfig.Switches;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

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

    /** Replaces the settings; two changes never lose one another. The lock guards read-change-write, on admin calls only. */
    synchronized Switches change(UnaryOperator<Switches> step) {
        Switches changed = step.apply(current);
        current = changed;
        return changed;
    }
}
