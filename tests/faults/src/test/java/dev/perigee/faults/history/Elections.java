package dev.perigee.faults.history;

import dev.perigee.faults.history.Availability.Span;
import dev.perigee.faults.history.Operation.Led;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** When the terms of a group began that somebody led, as its members said. Pure. */
public final class Elections {
    private final Collection<Led> first;

    /** Those of members that were asked often; what they said is in the order of time. */
    public Elections(List<Led> told) {
        Map<Long, Led> firstOf = new TreeMap<>();
        told.forEach(led -> firstOf.putIfAbsent(led.term(), led));
        first = firstOf.values();
    }

    /** How many there were. */
    public int count() {
        return first.size();
    }

    /** How many were first heard of in that span. */
    public int in(Span span) {
        return (int) first.stream()
                .filter(led -> span.beginUs() <= led.atUs() && led.atUs() < span.endUs())
                .count();
    }

    /** How many were first heard of in the whole, but in none of the spans. */
    public int outside(Span whole, List<Span> spans) {
        return in(whole) - spans.stream().mapToInt(this::in).sum();
    }
}
