package dev.perigee.cli.group;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.ConnectedClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.frame.PeerVersion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Connected clients. */
@Command(name = "client", description = "List connected producers and consumers.", synopsisSubcommandLabel = "COMMAND")
public final class ClientCommand {
    private static final List<Column<ConnectedClient>> COLUMNS = List.of(
            Column.text("Group", "group", ConnectedClient::group),
            Column.text("Role", "role", client -> client.role().name().toLowerCase(Locale.ROOT)),
            Column.text("Client", "clientId", ConnectedClient::clientId),
            Column.text("From", "address", ConnectedClient::address),
            Column.text("Language", "language", ConnectedClient::language),
            Column.text("Version", "versionText", client -> PeerVersion.describe(client.version())),
            Column.number("Brokers", "brokerCount", client -> client.brokers().size()),
            Column.json("version", ConnectedClient::version),
            Column.json("brokers", client -> List.copyOf(client.brokers())));

    /** Called by picocli. */
    public ClientCommand() {}

    @Command(name = "list", description = "List connected clients by group; a client in two groups stands there twice.")
    int list(
            @Option(names = "--group", description = "Only the members of this consumer group.") @Nullable String group,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            if (group != null) {
                Admin.requireGroup(admin, group);
            }
            List<ConnectedClient> clients =
                    group == null ? admin.clients().list() : admin.clients().ofGroup(group);
            display.printer().rows(clients, COLUMNS, "no clients are connected");
            return ExitCode.OK;
        });
    }
}
