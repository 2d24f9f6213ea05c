package dev.perigee.namesrv.route;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.topic.DataVersion;
import java.util.HashMap;
import java.util.Map;

/**
 * The brokers whose write permission was wiped, with the version of what they had said by then. A registration that says
 * nothing newer does not undo the wipe, however it was on its way; one that does, ends it.
 */
@OwnedBy("route loop")
final class Wipes {
    private final Map<String, DataVersion> seen = new HashMap<>(); // no more than there are groups

    /** A broker's topics were wiped. */
    void begin(String brokerName, DataVersion known) {
        seen.put(brokerName, known);
    }

    /** The wipe was taken back, or the broker is gone. */
    void end(String brokerName) {
        seen.remove(brokerName);
    }

    /** Whether a wipe stands against a registration of this version; it ends when it does not. */
    boolean stands(String brokerName, DataVersion version) {
        DataVersion known = seen.get(brokerName);
        if (known == null) {
            return false;
        }
        if (isNewer(version, known)) {
            seen.remove(brokerName);
            return false;
        }
        return true;
    }

    /** A broker that lost its data counts anew, and one whose clock went back counts on: each is newer all the same. */
    private static boolean isNewer(DataVersion version, DataVersion known) {
        return version.stateVersion() > known.stateVersion()
                || version.timestamp() > known.timestamp()
                || version.counter() > known.counter();
    }
}
