package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
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
     * @param answers whether it answers at all; a RocketMQ broker of the 4.x line says that it does not know the question
     * @param own what it says; empty when it says nothing
     * @param seen what its master says of it; null of a master, and of a slave that its master does not see
     * @param masterSays whether its master answers
     */
    record Line(
            BrokerData group,
            long id,
            String address,
            boolean answers,
            Optional<HaStatus> own,
            @Nullable SlaveState seen,
            boolean masterSays) {
        private @Nullable String role() {
            return own.map(status -> status.role() != null ? status.role() : status.master() ? "MASTER" : "SLAVE")
                    .orElse(answers ? null : "does not answer");
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

    /** What a broker answers. */
    private record Said(boolean answers, Optional<HaStatus> status) {
        static final Said NOTHING = new Said(false, Optional.empty());
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
            Said master = addresses.containsKey(MASTER_ID) ? status(admin, addresses.get(MASTER_ID)) : Said.NOTHING;
            addresses.forEach((id, address) -> {
                Said own = id == MASTER_ID ? master : status(admin, address);
                SlaveState seen = id == MASTER_ID ? null : seen(master.status(), id);
                boolean masterSays = master.status().isPresent();
                lines.add(new Line(group, id, address, own.answers(), own.status(), seen, masterSays));
            });
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
    private static Said status(AdminClient admin, String address) {
        try {
            return new Said(true, Optional.of(admin.brokers().haStatus(address)));
        } catch (RefusedException e) {
            return new Said(true, Optional.empty());
        } catch (ClientException e) {
            return Said.NOTHING;
        }
    }
}
