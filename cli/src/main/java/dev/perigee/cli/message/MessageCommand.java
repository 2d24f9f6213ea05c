package dev.perigee.cli.message;

import picocli.CommandLine.Command;

/** Stored messages. */
@Command(
        name = "message",
        description = "Look up stored messages.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {MessageGet.class, MessageQuery.class, MessageBrowse.class, MessageTraceShow.class})
public final class MessageCommand {
    /** Called by picocli. */
    public MessageCommand() {}
}
