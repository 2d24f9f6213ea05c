package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.cli.Perigee;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Whatever a command tells, a program can read it. */
class JsonEverywhereTest {
    /** Servers, what prints a script or a manual, and what only warms a start up; all others tell what they did, also those that write. */
    private static final Set<String> TELL_NOTHING = Set.of("up", "namesrv", "broker", "completion", "help", "rehearse");

    private static List<CommandLine> leaves(CommandLine line) {
        List<CommandLine> leaves = new ArrayList<>();
        for (CommandLine child : line.getSubcommands().values()) {
            if (child.getSubcommands().isEmpty()) {
                leaves.add(child);
            } else {
                leaves.addAll(leaves(child));
            }
        }
        return leaves;
    }

    private static String words(CommandLine leaf) {
        return leaf.getCommandSpec().qualifiedName().substring("perigee ".length());
    }

    @Test
    void everyCommandThatTellsSomethingTellsItInJsonToo() {
        List<CommandLine> all = leaves(Perigee.commandLine(Main.serverCommands(Lifecycle.byHand())));

        assertThat(all.stream().map(JsonEverywhereTest::words))
                .contains("topic list", "group lag", "log verify", "version", "consume", "message browse")
                .containsAll(TELL_NOTHING);
        assertThat(all.stream()
                        .filter(leaf -> !leaf.getCommandSpec().optionsMap().containsKey("--json"))
                        .map(JsonEverywhereTest::words))
                .as("without --json")
                .containsExactlyInAnyOrderElementsOf(TELL_NOTHING);
    }
}
