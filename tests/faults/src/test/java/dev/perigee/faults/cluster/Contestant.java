package dev.perigee.faults.cluster;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A kind of cluster that is put to the test: whose it is, and the role of each of its nodes; those of a group have none, they elect their
 * master. All other settings are equal for all.
 *
 * <p>Of a pair every send waits for the slave: in Perigee a SYNC_MASTER always means that, stock brokers need {@code inSyncReplicas=2} for it.
 */
public enum Contestant {
    PERIGEE_LONE(Make.PERIGEE, Roles.LONE),
    STOCK_LONE(Make.STOCK, Roles.LONE),
    PERIGEE_PAIR(Make.PERIGEE, Roles.PAIR),
    STOCK_PAIR(Make.STOCK, Roles.PAIR),
    PERIGEE_ASYNC_PAIR(Make.PERIGEE, Roles.ASYNC_PAIR),
    STOCK_ASYNC_PAIR(Make.STOCK, Roles.ASYNC_PAIR),
    PERIGEE_GROUP_3(Make.PERIGEE, Roles.GROUP_3),
    PERIGEE_GROUP_5(Make.PERIGEE, Roles.GROUP_5),
    STOCK_GROUP_3(Make.STOCK, Roles.GROUP_3);

    private final Make make;

    @SuppressWarnings("ImmutableEnumChecker") // lists and maps that cannot be changed
    private final List<Map<String, String>> roles;

    Contestant(Make make, List<Map<String, String>> roles) {
        this.make = make;
        this.roles = roles;
    }

    /** The one of that name, such as {@code perigee-lone}. */
    public static Contestant of(String name) {
        return Arrays.stream(values())
                .filter(contestant -> contestant.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no contestant is called " + name + ", there are " + Arrays.toString(values())));
    }

    Make make() {
        return make;
    }

    /** Settings of each node beyond those all have. */
    List<Map<String, String>> roles() {
        return roles;
    }

    /** Whether it is a master and its slave. */
    boolean isPair() {
        return roles.size() == 2;
    }

    /** Whether its nodes elect their master. */
    public boolean isGroup() {
        return roles.size() > 2;
    }

    /** Whether it has a second node, for which no acknowledgement waits. */
    public boolean isAsyncPair() {
        return roles == Roles.ASYNC_PAIR;
    }

    /** Whether a violation fails the run; those of others are counted. */
    public boolean isOurs() {
        return make == Make.PERIGEE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static final class Roles {
        static final List<Map<String, String>> LONE = List.of(Map.of("brokerId", "0", "brokerRole", "ASYNC_MASTER"));
        static final List<Map<String, String>> PAIR = List.of(
                Map.of("brokerId", "0", "brokerRole", "SYNC_MASTER", "inSyncReplicas", "2"),
                Map.of("brokerId", "1", "brokerRole", "SLAVE"));
        static final List<Map<String, String>> ASYNC_PAIR = List.of(
                Map.of("brokerId", "0", "brokerRole", "ASYNC_MASTER"), Map.of("brokerId", "1", "brokerRole", "SLAVE"));
        static final List<Map<String, String>> GROUP_3 = Collections.nCopies(3, Map.of());
        static final List<Map<String, String>> GROUP_5 = Collections.nCopies(5, Map.of());
    }
}
