package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.route.BrokerData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Clusters and their brokers. */
@Command(
        name = "cluster",
        description = "List brokers; show a broker's state and configuration.",
        synopsisSubcommandLabel = "COMMAND")
final class ClusterCommand {
    ClusterCommand() {}

    /** One broker. */
    private record BrokerLine(BrokerData broker, long id, String address, Optional<Map<String, String>> info) {
        private @Nullable String info(String key) {
            return info.map(told -> told.get(key)).orElse(null);
        }

        private @Nullable String version() {
            return info.isEmpty() ? "does not answer" : info("brokerVersionDesc");
        }

        /** The newest of several averages. */
        private @Nullable String rate(String key) {
            String text = info(key);
            return text == null ? null : text.split(" ", 2)[0];
        }
    }

    @Command(name = "list", description = "List the brokers of all clusters.")
    int list(@Mixin Reach reach, @Mixin Display display) throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            List<BrokerLine> lines = new ArrayList<>();
            for (BrokerData broker : new TreeMap<>(admin.brokers().cluster().brokerAddrTable()).values()) {
                for (Map.Entry<Long, String> entry : new TreeMap<>(broker.brokerAddrs()).entrySet()) {
                    lines.add(new BrokerLine(
                            broker, entry.getKey(), entry.getValue(), runtimeInfo(admin, entry.getValue())));
                }
            }
            List<Column<BrokerLine>> columns = List.of(
                    Column.text("Cluster", "cluster", line -> line.broker().cluster()),
                    Column.text("Broker", "broker", line -> line.broker().brokerName()),
                    Column.number("Id", "id", BrokerLine::id),
                    Column.text("Address", "address", BrokerLine::address),
                    Column.text("Version", "version", BrokerLine::version),
                    Column.text("In/s", "putTps", line -> line.rate("putTps")),
                    Column.text("Out/s", "getTransferedTps", line -> line.rate("getTransferedTps")),
                    Column.json("answers", line -> line.info().isPresent()),
                    Column.json("actingMaster", line -> line.broker().enableActingMaster()),
                    Column.json("zone", line -> line.broker().zoneName()),
                    Column.json("state", line -> line.info().orElse(null)));
            display.printer().rows(lines, columns, "no broker is registered");
            return ExitCode.OK;
        });
    }

    @Command(
            name = "status",
            description =
                    "Show which brokers are masters and slaves and how far slaves are behind; of one broker, what it says "
                            + "about its state.")
    int status(
            @Parameters(
                            arity = "0..1",
                            paramLabel = "BROKER",
                            description = "Its name or address; none for all brokers.")
                    @Nullable
                    String broker,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            if (broker == null) {
                display.printer().rows(ReplicaTable.ask(admin), ReplicaTable.columns(), "no broker is registered");
                return ExitCode.OK;
            }
            display.printer().members(new TreeMap<>(admin.brokers().runtimeInfo(address(admin, broker))));
            return ExitCode.OK;
        });
    }

    @Command(name = "config", description = "Show the configuration of a broker.")
    int config(
            @Parameters(paramLabel = "BROKER", description = "Its name or address.") String broker,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            display.printer().members(new TreeMap<>(admin.brokers().config(address(admin, broker))));
            return ExitCode.OK;
        });
    }

    private static String address(AdminClient admin, String broker) throws ClientException, CommandException {
        if (broker.indexOf(':') >= 0) {
            return broker;
        }
        return address(admin.brokers().cluster().brokerAddrTable(), broker);
    }

    /** The master's, or that of the slave with the smallest id while there is no master. */
    static String address(Map<String, BrokerData> brokers, String name) throws CommandException {
        BrokerData broker = brokers.get(name);
        String address = broker == null ? null : broker.addressToRead();
        if (address == null) {
            throw notRegistered(name);
        }
        return address;
    }

    static CommandException notRegistered(String name) {
        return CommandException.notFound("broker " + name + " is not registered (see 'cluster list')");
    }

    /** A broker that does not answer is listed all the same. */
    private static Optional<Map<String, String>> runtimeInfo(AdminClient admin, String address) {
        try {
            return Optional.of(admin.brokers().runtimeInfo(address));
        } catch (ClientException e) {
            return Optional.empty();
        }
    }
}
