package dev.perigee.store.tail;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.QueueFloor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a log has to say when acknowledged frames at its end may be missing: every queue goes on behind a gap (R23). */
public final class LostTail {
    /** Queues in one fact at most; about 25 bytes each, so that it fits the smallest segment. */
    private static final int QUEUES_PER_FACT = 1000;

    private LostTail() {}

    /** The facts, the one about queues the log knows nothing of first. */
    public static List<Fact> facts(QueueLevels levels, long gap) {
        Map<String, TreeMap<Integer, Long>> ends = new TreeMap<>();
        levels.forEachEnd((topic, queueId, next) ->
                ends.computeIfAbsent(topic, name -> new TreeMap<>()).put(queueId, next + gap));
        List<Fact> facts = new ArrayList<>();
        facts.add(new QueueFloor(levels.starts().floor() + gap));
        ends.forEach((topic, queues) -> {
            while (!queues.isEmpty()) {
                Map<Integer, Long> some = new TreeMap<>();
                while (!queues.isEmpty() && some.size() < QUEUES_PER_FACT) {
                    Map.Entry<Integer, Long> first = queues.pollFirstEntry();
                    some.put(first.getKey(), first.getValue());
                }
                facts.add(new QueueEnds(topic, some));
            }
        });
        return facts;
    }
}
