package dev.perigee.compat;

import dev.perigee.harness.StockAdmin;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What stock mqadmin printed of a message, without what differs between two messages that are alike: ids, places, times and hosts; and
 * without the properties that only one make of brokers writes (docs/semantics.md, store-format.md).
 */
final class ShownMessage {
    private static final String NOTHING = "CODE: 208";
    private static final Pattern ROW = Pattern.compile("[0-9A-F]{32}(?:[0-9A-F]{24})? .*");
    private static final Pattern SYSTEM_TOPIC = Pattern.compile("Topic: (?:SCHEDULE_|rmq_sys_|RMQ_SYS_).*");
    private static final List<String> FIELDS =
            List.of("Topic:", "Tags:", "Keys:", "Queue ID:", "Queue Offset:", "Reconsume Times:", "System Flag:");
    /** Ours, and what only stock brokers count. */
    private static final Set<String> OF_ONE_MAKE =
            Set.of("__TIMER#", "__HALF#", "__STAMP#", "TIMER_ROLL_TIMES", "TRANSACTION_CHECK_TIMES");
    /** What a stock broker leaves on a message when it is delivered; Perigee does not. */
    private static final Set<String> OF_WAITING = Set.of("DELAY", "REAL_TOPIC", "REAL_QID");

    private static final Set<String> VALUES_DIFFER =
            Set.of("CLUSTER", "UNIQ_KEY", "__transactionId__", "TIMER_OUT_MS", "TIMER_ENQUEUE_MS", "TIMER_DEQUEUE_MS");

    private ShownMessage() {}

    /** The fields of one message, or of a list whether it has any, or that nothing was found. */
    static List<String> lines(StockAdmin.Result result) {
        if (result.stderr().contains(NOTHING)) {
            return List.of("nothing");
        }
        List<String> lines = new ArrayList<>();
        for (String line : result.stdout().lines().toList()) {
            if (FIELDS.stream().anyMatch(line::startsWith)) {
                lines.add(line.strip().replaceAll("\\s+", " "));
            } else if (line.startsWith("Properties:")) {
                lines.add("Properties: " + properties(line, lines.stream().anyMatch(SYSTEM_TOPIC.asMatchPredicate())));
            } else if (ROW.matcher(line).matches() && !lines.contains("a row")) {
                lines.add("a row");
            }
        }
        // What is neither is a failure, which then is part of the comparison.
        return lines.isEmpty() ? List.of(result.toString()) : lines;
    }

    private static Map<String, String> properties(String line, boolean isWaiting) {
        Map<String, String> properties = new TreeMap<>();
        String inside = line.substring(line.indexOf('{') + 1, line.lastIndexOf('}'));
        Arrays.stream(inside.split(", ")).forEach(property -> {
            int at = property.indexOf('=');
            String name = property.substring(0, at);
            if (!OF_ONE_MAKE.contains(name) && (isWaiting || !OF_WAITING.contains(name))) {
                properties.put(name, VALUES_DIFFER.contains(name) ? "…" : property.substring(at + 1));
            }
        });
        return properties;
    }
}
