package dev.perigee.namesrv.route;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.topic.DataVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** When each broker was last heard of, and over which connection. */
@OwnedBy("route loop")
final class BrokerLiveness {
    private final Map<Key, Live> live = new HashMap<>();

    /** A broker is known by cluster and address here, because two names may not share an address. */
    private record Key(String cluster, String address) {
        static Key of(BrokerIdentity broker) {
            return new Key(broker.cluster(), broker.address());
        }
    }

    /**
     * What is known of a live broker.
     *
     * @param version version of the last table it sent
     * @param completeVersion version of the last complete table taken; null before the first
     */
    record Live(
            BrokerIdentity broker,
            long lastUpdateMs,
            long timeoutMs,
            DataVersion version,
            @Nullable DataVersion completeVersion,
            String haServerAddr,
            Object link) {
        private Live heardAt(long nowMs, Object overLink) {
            return new Live(broker, nowMs, timeoutMs, version, completeVersion, haServerAddr, overLink);
        }

        private boolean silentSince(long nowMs) {
            return lastUpdateMs + timeoutMs < nowMs;
        }
    }

    @Nullable
    Live find(BrokerIdentity broker) {
        return live.get(Key.of(broker));
    }

    /** The member of a group that has this id; null when it is not live. */
    @Nullable
    Live find(BrokerGroup group, long id) {
        String address = group.address(id);
        return address == null ? null : live.get(new Key(group.cluster(), address));
    }

    void put(Live entry) {
        live.put(Key.of(entry.broker()), entry);
    }

    void remove(BrokerIdentity broker) {
        live.remove(Key.of(broker));
    }

    /** Notes that a broker gave a sign of life; nothing happens when it is not known. */
    void heard(BrokerIdentity broker, long nowMs, Object link) {
        live.computeIfPresent(Key.of(broker), (key, entry) -> entry.heardAt(nowMs, link));
    }

    List<Live> silentSince(long nowMs) {
        return select(entry -> entry.silentSince(nowMs));
    }

    List<Live> over(Object link) {
        return select(entry -> entry.link() == link);
    }

    int size() {
        return live.size();
    }

    private List<Live> select(Predicate<Live> wanted) {
        List<Live> found = new ArrayList<>();
        for (Live entry : live.values()) {
            if (wanted.test(entry)) {
                found.add(entry);
            }
        }
        return found;
    }
}
