package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.protocol.stats.HaStatus.SlaveState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Every registered broker with its part in replication: as it says itself, and of a slave what its master says of it. */
@Immutable
final class ReplicaTable {
    private static final long MASTER_ID = 0;

    /**
     * One broker.
     *
     * @param own what it says; empty when it does not answer
     * @param seen what its master says of it; null of a master, and of a slave that its master does not see
     * @param masterSays whether its master answers
     */
    record Line(
            BrokerData group,
            long id,
            String address,
            Optional<HaStatus> own,
            @Nullable SlaveState seen,
            boolean masterSays) {
        private @Nullable String role() {
            return own.map(status -> status.role() != null ? status.role() : status.master() ? "MASTER" : "SLAVE")
                    .orElse("does not answer");
        }

        private @Nullable Object inSync() {
            if (id == MASTER_ID) {
                return own.map(HaStatus::inSync).orElse(null);
            }
            return seen == null ? (masterSays ? "no" : null) : seen.inSync() ? "yes" : "no";
        }

        private @Nullable Object follows() {
            return own.map(status -> status.haClientRuntimeInfo().following()).orElse(null);
        }

        private @Nullable Object behindBytes() {
            return seen == null ? null : seen.diff();
        }

        private @Nullable Object behindMs() {
            return seen == null ? null : seen.lagMs();
        }
    }

    private ReplicaTable() {}

    static List<Column<Line>> columns() {
        return List.of(
                Column.text("Broker", "broker", line -> line.group().brokerName()),
                Column.number("Id", "id", Line::id),
                Column.text("Address", "address", Line::address),
                Column.text("Role", "role", Line::role),
                Column.text("In sync", "inSync", Line::inSync),
                Column.number("Behind bytes", "behindBytes", Line::behindBytes),
                Column.number("Behind ms", "behindMs", Line::behindMs),
                Column.text("Follows", "follows", Line::follows),
                Column.json("cluster", line -> line.group().cluster()),
                Column.json(
                        "confirmOffset",
                        line -> line.own().map(HaStatus::confirmOffset).orElse(null)));
    }

    /** Asks every broker that the NameServers know. Blocks. */
    static List<Line> ask(AdminClient admin) throws ClientException {
        List<Line> lines = new ArrayList<>();
        for (BrokerData group : new TreeMap<>(admin.brokers().cluster().brokerAddrTable()).values()) {
            Map<Long, String> addresses = new TreeMap<>(group.brokerAddrs());
            Optional<HaStatus> master =
                    addresses.containsKey(MASTER_ID) ? status(admin, addresses.get(MASTER_ID)) : Optional.empty();
            addresses.forEach((id, address) -> lines.add(new Line(
                    group,
                    id,
                    address,
                    id == MASTER_ID ? master : status(admin, address),
                    id == MASTER_ID ? null : seen(master, id),
                    master.isPresent())));
        }
        return lines;
    }

    private static @Nullable SlaveState seen(Optional<HaStatus> master, long id) {
        return master.stream()
                .flatMap(status -> status.haConnectionInfo().stream())
                .filter(slave -> Objects.equals(slave.brokerId(), id))
                .findFirst()
                .orElse(null);
    }

    /** A broker that does not answer is listed all the same. */
    private static Optional<HaStatus> status(AdminClient admin, String address) {
        try {
            return Optional.of(admin.brokers().haStatus(address));
        } catch (ClientException e) {
            return Optional.empty();
        }
    }
}
