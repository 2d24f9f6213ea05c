package dev.perigee.cli.message;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Incomplete;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.query.Found;
import dev.perigee.client.query.KeyQuery;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks for messages by key. */
@Command(
        name = "query",
        description = {
            "Show the messages of a topic with a key, on all its brokers, newest first.",
            "Brokers that fail are named after what the others gave."
        })
final class MessageQuery implements Callable<Integer> {
    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String topic = "";

    @ArgGroup(multiplicity = "1")
    private Key key = new Key();

    @Mixin
    private TimeRange range = new TimeRange();

    @Option(
            names = {"--limit", "--max"},
            converter = WholeNumber.Rows.class,
            defaultValue = "32",
            description = "At most so many; default ${DEFAULT-VALUE}.")
    private int limit;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    /** One of these is given. */
    static final class Key {
        @Option(names = "--key", required = true, description = "One of the message's keys.")
        private @Nullable String key;

        @Option(names = "--unique-key", required = true, description = "The message id that the producer made.")
        private @Nullable String uniqueKey;
    }

    MessageQuery() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        range.check();
        String indexKey = key.key;
        String text = indexKey != null ? indexKey : String.valueOf(key.uniqueKey);
        if (text.isEmpty()) {
            throw new CommandException(ExitCode.USAGE, "the key is empty");
        }
        KeyQuery.Kind kind = indexKey != null ? KeyQuery.Kind.INDEX_KEY : KeyQuery.Kind.UNIQUE_KEY;
        KeyQuery query = new KeyQuery(topic, text, kind, limit, range.beginMs(), range.endMs());
        return Admin.use(reach, admin -> {
            Admin.requireTopic(admin, topic);
            Found found = admin.messages().byKey(query);
            MessageText.print(display.printer(), found.messages());
            Incomplete.check(found.missing());
            if (found.messages().isEmpty()) {
                throw CommandException.notFound("no such message: topic " + topic + " has none with the "
                        + (indexKey != null ? "key " : "unique key ") + text + range.text()
                        + " (keys match whole; see 'message browse " + topic + "')");
            }
            return ExitCode.OK;
        });
    }
}
