package dev.perigee.broker.client;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * On which connections a client id has producers, whatever their groups: who waits for a reply is named by client id alone.
 * A producer comes and leaves only while nobody else changes its group.
 */
@ThreadSafe
final class ProducersById {
    /**
     * @param groups in how many groups the client has a producer on the connection
     * @param order the place of the last sighting there
     */
    private record Place(int groups, long order) {
        Place and(int more, long seen) {
            return new Place(groups + more, Math.max(order, seen));
        }
    }

    private final ConcurrentHashMap<String, ConcurrentHashMap<Connection, Place>> places = new ConcurrentHashMap<>();

    /**
     * A producer was heard of.
     *
     * @param group the producers its group knew
     */
    void seen(List<Member> group, Member now) {
        Member before = group.stream()
                .filter(member -> member.connection() == now.connection())
                .findFirst()
                .orElse(null);
        boolean isSame = before != null && before.clientId().equals(now.clientId());
        add(now, isSame ? 0 : 1);
        if (before != null && !isSame) {
            left(before);
        }
    }

    private void add(Member member, int groups) {
        places.compute(member.clientId(), (id, known) -> {
            ConcurrentHashMap<Connection, Place> of = known == null ? new ConcurrentHashMap<>(1) : known;
            of.merge(
                    member.connection(),
                    new Place(groups, member.order()),
                    (place, more) -> place.and(more.groups(), more.order()));
            return of;
        });
    }

    /** A producer left its group. */
    void left(Member member) {
        places.computeIfPresent(member.clientId(), (id, of) -> {
            of.computeIfPresent(
                    member.connection(), (same, place) -> place.groups() == 1 ? null : place.and(-1, place.order()));
            return of.isEmpty() ? null : of;
        });
    }

    /** The open connection on which a producer of the client was heard of last; null when there is none. */
    @Nullable
    Connection newest(String clientId) {
        Connection newest = null;
        long order = Long.MIN_VALUE;
        for (Map.Entry<Connection, Place> each :
                places.getOrDefault(clientId, new ConcurrentHashMap<>()).entrySet()) {
            if (each.getKey().isOpen() && each.getValue().order() > order) {
                newest = each.getKey();
                order = each.getValue().order();
            }
        }
        return newest;
    }
}
