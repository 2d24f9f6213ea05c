package dev.perigee.faults;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All runs of a results file as one table, a row for each contestant and way of flushing. Pure. */
final class FaultTable {
    private static final String HEADER =
            "| contestant | flush | runs | faults | acknowledged | lost | other violations | redelivered per million |"
                    + " unavailable p50 ms | p99 ms | max ms | ended by themselves | started by hand | begun anew |\n"
                    + "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

    private FaultTable() {}

    /** The table of lines of {@link RunReport#toJson}, in Markdown. */
    static String of(List<String> lines) {
        Map<String, List<JSONObject>> rows = new TreeMap<>();
        lines.stream()
                .map(JSON::parseObject)
                .forEach(run -> rows.computeIfAbsent(
                                run.getString("contestant") + " | " + run.getString("flush"), key -> new ArrayList<>())
                        .add(run));
        StringBuilder table = new StringBuilder(HEADER);
        rows.forEach((key, runs) -> table.append(row(key, runs)));
        return table.toString();
    }

    private static String row(String key, List<JSONObject> runs) {
        List<Long> gaps = new ArrayList<>();
        Map<String, Long> others = new TreeMap<>();
        for (JSONObject run : runs) {
            gaps.addAll(run.getJSONArray("unavailableMs").toList(Long.class));
            run.getJSONObject("violations")
                    .forEach((name, count) -> others.merge(name, ((Number) count).longValue(), Long::sum));
        }
        others.remove("LOST");
        Collections.sort(gaps);
        long acknowledged = sum(runs, "acknowledged");
        return "| %s | %d | %d | %d | %d | %s | %d | %d | %d | %d | %d | %d | %d |%n"
                .formatted(
                        key,
                        runs.size(),
                        sum(runs, "faults"),
                        acknowledged,
                        sum(runs, "lost"),
                        others.isEmpty() ? "0" : others.toString(),
                        Math.round(1e6 * sum(runs, "redelivered") / Math.max(1, acknowledged)),
                        percentile(gaps, 50),
                        percentile(gaps, 99),
                        percentile(gaps, 100),
                        sum(runs, "deaths"),
                        sum(runs, "helped"),
                        sum(runs, "begunAnew"));
    }

    private static long sum(List<JSONObject> runs, String key) {
        return runs.stream().mapToLong(run -> run.getLongValue(key)).sum();
    }

    /** The smallest value that so many percent do not exceed. */
    static long percentile(List<Long> sorted, int percent) {
        return sorted.isEmpty() ? 0 : sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
    }
}
