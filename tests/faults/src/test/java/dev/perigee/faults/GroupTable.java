package dev.perigee.faults;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long groups took no message, by the fault that they had and whether the leader had it, and which elections there were; all runs of a results
 * file. Pure.
 */
final class GroupTable {
    private static final String HEADER = """
            | contestant | flush | fault | episodes | unavailable p50 ms | p95 ms | max ms | elections |
            |---|---|---|---|---|---|---|---|
            """;
    private static final String CALM_HEADER = """
            | contestant | flush | seconds without a fault | elections in them | elections while followers only were hurt |
            |---|---|---|---|---|
            """;
    private static final String ALL = "all";

    private GroupTable() {}

    /** Both tables of lines of {@link RunReport#toJson}, in Markdown; a row for each fault, and one for all that a contestant had. */
    static String of(List<String> lines) {
        Map<String, Map<String, Row>> rows = new TreeMap<>();
        Map<String, Calm> calm = new TreeMap<>();
        for (String line : lines) {
            JSONObject run = JSON.parseObject(line);
            List<String> targets = run.getList("targets", String.class);
            if (targets == null || targets.isEmpty()) {
                continue;
            }
            String key = run.getString("contestant") + " | " + run.getString("flush");
            Calm ofKey = calm.computeIfAbsent(key, none -> new Calm());
            ofKey.seconds += run.getLongValue("calmSeconds");
            ofKey.elections += run.getLongValue("unasked");
            for (int i = 0; i < targets.size(); i++) {
                long awayMs = run.getJSONArray("unavailableMs").getLongValue(i);
                long elections = run.getJSONArray("elections").getLongValue(i);
                Map<String, Row> ofContestant = rows.computeIfAbsent(key, none -> new TreeMap<>());
                for (String fault : List.of(nameOf(targets.get(i)), ALL)) {
                    ofContestant.computeIfAbsent(fault, none -> new Row()).add(awayMs, elections);
                }
                ofKey.disturbances += targets.get(i).contains("leader") ? 0 : elections;
            }
        }
        StringBuilder text = new StringBuilder(HEADER);
        rows.forEach((key, ofContestant) ->
                ofContestant.forEach((fault, row) -> text.append("| %s | %s | %s |%n".formatted(key, fault, row))));
        text.append('\n').append(CALM_HEADER);
        calm.forEach((key, row) -> text.append("| %s | %s |%n".formatted(key, row)));
        return text.toString();
    }

    /** Two faults at a time are one row: there are many pairs of them. So are the shapes of a partition, which the file tells apart. */
    private static String nameOf(String target) {
        return target.contains("+") ? "two at a time" : target.replaceFirst("^partition-\\w+", "partition");
    }

    private static final class Row {
        private final List<Long> awayMs = new ArrayList<>();
        private long elections;

        void add(long ms, long began) {
            awayMs.add(ms);
            elections += began;
        }

        @Override
        public String toString() {
            Collections.sort(awayMs);
            return "%d | %d | %d | %d | %d"
                    .formatted(
                            awayMs.size(),
                            FaultTable.percentile(awayMs, 50),
                            FaultTable.percentile(awayMs, 95),
                            FaultTable.percentile(awayMs, 100),
                            elections);
        }
    }

    private static final class Calm {
        private long seconds;
        private long elections;
        private long disturbances;

        @Override
        public String toString() {
            return seconds + " | " + elections + " | " + disturbances;
        }
    }
}
