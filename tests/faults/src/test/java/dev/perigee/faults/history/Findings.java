package dev.perigee.faults.history;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a {@link Checker} found: how often each rule was broken, and the first examples. For one thread. */
public final class Findings {
    private static final int MOST_EXAMPLES = 10;

    private final Map<Violation, Long> counts = new EnumMap<>(Violation.class);
    private final Map<Violation, List<String>> examples = new EnumMap<>(Violation.class);
    private long redelivered;

    void add(Violation violation, String example) {
        counts.merge(violation, 1L, Long::sum);
        List<String> known = examples.computeIfAbsent(violation, none -> new ArrayList<>());
        if (known.size() < MOST_EXAMPLES) {
            known.add(example);
        }
    }

    void redelivered(long count) {
        redelivered = count;
    }

    /** How often that rule was broken. */
    public long count(Violation violation) {
        return counts.getOrDefault(violation, 0L);
    }

    /** Messages that came to the group more than once, counted once for each time beyond the first; at-least-once delivery allows it. */
    public long redelivered() {
        return redelivered;
    }

    /** The broken rules with their counts; nothing when all was well. */
    public Map<Violation, Long> violations() {
        return counts;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((violation, count) -> text.append(violation)
                .append(" ")
                .append(count)
                .append(" times: ")
                .append(String.join("; ", examples.getOrDefault(violation, List.of())))
                .append('\n'));
        return text.isEmpty() ? "no violation" : text.toString();
    }
}
