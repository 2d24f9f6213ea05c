package dev.perigee.harness.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Stock mqadmin pointed at one cluster. */
record Admin(StockAdmin tools, Target target) {
    /** Runs a command that must succeed and returns what it printed. */
    String ok(String command, String... options) throws IOException {
        StockAdmin.Result result = run(command, options);
        assertThat(result.succeeded()).as(result.toString()).isTrue();
        return result.stdout();
    }

    /** Runs a command that may fail. */
    StockAdmin.Result run(String command, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(command, "-n", target.namesrv()));
        arguments.addAll(List.of(options));
        return tools.run(arguments.toArray(String[]::new));
    }

    /** The first printed line with all these words, blanks collapsed; empty when there is none. */
    static String line(String output, String... words) {
        return output.lines()
                .filter(line -> List.of(words).stream().allMatch(line::contains))
                .findFirst()
                .map(line -> line.strip().replaceAll("\\s+", " "))
                .orElse("");
    }
}
