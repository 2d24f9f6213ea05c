package dev.perigee.sim.kind;

import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was sent, what is known to have become of it, and from that what each consumer must see, may see and must not see. Nothing
 * here knows how a broker works.
 */
public final class KindModel {
    /** What the sender knows of a message. */
    public enum Fate {
        UNDER_WAY,
        STORED,
        /** The send failed and may have been carried out all the same. */
        DOUBTFUL,
        NOT_STORED
    }

    /** How a local transaction ended. */
    public enum Local {
        NONE,
        COMMITTED,
        ROLLED_BACK,
        /** Never known: nobody may see the message. */
        UNKNOWN
    }

    /**
     * A message.
     *
     * @param notBeforeMs it must not be seen before
     * @param orderKey of an ordered message
     * @param batch names the batch it is part of, which is stored as a whole or not at all
     */
    public record Plan(
            String body,
            Local local,
            long notBeforeMs,
            @Nullable String orderKey,
            @Nullable String batch) {
        static Plan plain(String body) {
            return new Plan(body, Local.NONE, 0, null, null);
        }

        private boolean isVisible() {
            return local == Local.NONE || local == Local.COMMITTED;
        }
    }

    /** Where a consumer saw a message first. */
    private record Place(MessageQueue queue, long offset) {}

    private final boolean isOneBroker;
    private final Map<String, Plan> plans = new LinkedHashMap<>();
    private final Map<String, Fate> fates = new LinkedHashMap<>();
    private final Map<String, Map<String, Place>> seenBy = new LinkedHashMap<>();
    private final Map<Place, String> shown = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private Set<String> lost = Set.of();

    /** @param isOneBroker whether all messages of a key stay in one queue, because no broker comes and goes beside it */
    KindModel(boolean isOneBroker) {
        this.isOneBroker = isOneBroker;
    }

    /** When a message is due; 0 for at once, or when nobody sent it. */
    long dueMs(String body) {
        Plan plan = plans.get(body);
        return plan == null ? 0 : plan.notBeforeMs;
    }

    void sends(Plan plan) {
        plans.put(plan.body, plan);
        fates.put(plan.body, Fate.UNDER_WAY);
    }

    void became(String body, Fate fate) {
        fates.put(body, fate);
    }

    /** Of what is known to be stored, this is nowhere any more, and may be: nobody is to see it. */
    void lost(Set<String> bodies) {
        lost = bodies;
    }

    /** What is known to be stored. */
    Set<String> storedBodies() {
        Set<String> bodies = new LinkedHashSet<>();
        fates.forEach((body, fate) -> {
            if (fate == Fate.STORED) {
                bodies.add(body);
            }
        });
        return bodies;
    }

    /** What was sent and is not known to be stored. */
    Set<String> notStored() {
        Set<String> bodies = new LinkedHashSet<>(fates.keySet());
        bodies.removeAll(storedBodies());
        return bodies;
    }

    /** How the local transaction of this message ended, for whoever asks about it. */
    Local local(String body) {
        Plan plan = plans.get(body);
        return plan == null ? Local.UNKNOWN : plan.local;
    }

    /**
     * A consumer is shown a message.
     *
     * @param nowMs the time, or the end of times when it may be early
     */
    void saw(String consumer, String body, MessageQueue queue, long offset, long nowMs) {
        Plan plan = plans.get(body);
        if (plan == null) {
            problems.add(consumer + " saw " + body + ", which nobody sent");
            return;
        }
        if (fates.get(body) == Fate.NOT_STORED) {
            problems.add(consumer + " saw " + body + ", whose send failed without effect");
        }
        if (!plan.isVisible()) {
            problems.add(consumer + " saw " + body + ", whose transaction is " + plan.local);
        }
        if (nowMs < plan.notBeforeMs) {
            problems.add(consumer + " saw " + body + " " + (plan.notBeforeMs - nowMs) + " ms too early");
        }
        Place place = new Place(queue, offset);
        String before = shown.putIfAbsent(place, body);
        if (before != null && !before.equals(body)) {
            problems.add(consumer + " saw " + body + " at " + place + ", where " + before + " was seen");
        }
        seenBy.computeIfAbsent(consumer, name -> new LinkedHashMap<>()).putIfAbsent(body, place);
    }

    /** Whether every send has ended and this consumer has seen all that is due at this time. */
    boolean isDone(String consumer, long nowMs) {
        return !fates.containsValue(Fate.UNDER_WAY) && missing(consumer, nowMs).isEmpty();
    }

    /** How many messages are known to be stored. */
    public int stored() {
        return (int) fates.values().stream().filter(fate -> fate == Fate.STORED).count();
    }

    private List<String> missing(String consumer, long nowMs) {
        Map<String, Place> seen = seenBy.getOrDefault(consumer, Map.of());
        return plans.values().stream()
                .filter(plan -> plan.isVisible() && plan.notBeforeMs <= nowMs && fates.get(plan.body) == Fate.STORED)
                .map(Plan::body)
                .filter(body -> !seen.containsKey(body) && !lost.contains(body))
                .toList();
    }

    /** What has gone wrong with what this consumer saw, now that it has had the time to see all of it. */
    List<String> verdict(String consumer, long nowMs) {
        List<String> all = new ArrayList<>(problems);
        fates.forEach((body, fate) -> {
            if (fate == Fate.UNDER_WAY) {
                all.add("the send of " + body + " never ended");
            }
        });
        for (String body : missing(consumer, nowMs)) {
            all.add(consumer + " never saw " + body + ", which is stored");
        }
        Map<String, Place> seen = seenBy.getOrDefault(consumer, Map.of());
        halfBatches(consumer, seen.keySet(), all);
        order(consumer, seen, all);
        return all;
    }

    private void halfBatches(String consumer, Set<String> seen, List<String> all) {
        Set<String> begun = new HashSet<>();
        plans.values().stream()
                .filter(plan -> plan.batch != null && seen.contains(plan.body))
                .forEach(plan -> begun.add(plan.batch));
        plans.values().stream()
                .filter(plan -> plan.batch != null && begun.contains(plan.batch))
                .filter(plan -> !seen.contains(plan.body) && !lost.contains(plan.body))
                .forEach(plan -> all.add(consumer + " saw a part of batch " + plan.batch + " without " + plan.body));
    }

    /**
     * Messages of a key that are known to be stored lie in the order of their sends and are first seen in that order: in one queue,
     * or in each queue where there is more than one broker.
     */
    private void order(String consumer, Map<String, Place> seen, List<String> all) {
        Map<String, List<String>> sentByKey = new LinkedHashMap<>();
        Map<String, List<String>> seenByKey = new LinkedHashMap<>();
        plans.keySet().stream().filter(seen::containsKey).forEach(body -> byKey(body, seen, sentByKey));
        seen.keySet().forEach(body -> byKey(body, seen, seenByKey));
        sentByKey.forEach((key, sent) -> {
            if (!sent.equals(seenByKey.get(key))) {
                all.add(consumer + " saw key " + key + " as " + seenByKey.get(key) + ", sent as " + sent);
            }
            Place before = null;
            for (String body : sent) {
                Place place = Objects.requireNonNull(seen.get(body));
                if (before != null && (!place.queue.equals(before.queue) || place.offset <= before.offset)) {
                    all.add(consumer + " found " + body + " of key " + key + " at " + place + " behind " + before);
                }
                before = place;
            }
        });
    }

    private void byKey(String body, Map<String, Place> seen, Map<String, List<String>> byKey) {
        Plan plan = plans.get(body);
        if (plan != null && plan.orderKey != null && fates.get(body) == Fate.STORED) {
            String key =
                    isOneBroker ? plan.orderKey : plan.orderKey + " in " + Objects.requireNonNull(seen.get(body)).queue;
            byKey.computeIfAbsent(key, name -> new ArrayList<>()).add(body);
        }
    }
}
