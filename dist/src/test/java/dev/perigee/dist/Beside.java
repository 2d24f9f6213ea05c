package dev.perigee.dist;

import dev.perigee.cli.Perigee;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A command that runs beside the test, in its process, and what it printed so far. */
record Beside(StringWriter out, StringWriter err, CompletableFuture<Integer> exitCode, Thread thread) {
    static Beside run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CompletableFuture<Integer> exitCode = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> exitCode.complete(Perigee.commandLine(Main.serverCommands(Lifecycle.byHand()), words)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(words)),
                "beside");
        thread.setDaemon(true);
        thread.start();
        return new Beside(out, err, exitCode, thread);
    }

    /** Has the command end, where it heeds that, and gives its exit code. */
    int end() throws Exception {
        thread.interrupt();
        return exitCode.get(1, TimeUnit.MINUTES);
    }
}
