package dev.perigee.dist;

import dev.perigee.cli.Perigee;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** One command run in this process, and what it printed. */
record Run(int exitCode, String out, String err) {
    static Run of(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Perigee.commandLine(Main.serverCommands(Lifecycle.byHand()), words);
        int exitCode = line.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(words);
        return new Run(exitCode, out.toString(), err.toString());
    }

    /** The lines of standard output. */
    List<String> lines() {
        return out.lines().toList();
    }

    Map<?, ?> object() throws BadBodyException {
        return Json.read(out, Map.class);
    }

    List<?> array() throws BadBodyException {
        return Json.read(out, List.class);
    }
}
