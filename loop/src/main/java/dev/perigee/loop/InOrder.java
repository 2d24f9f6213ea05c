package dev.perigee.loop;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Unmodifiable copies that are walked in the order of what was copied. The sets and maps of {@link Set#copyOf} and its kind are
 * walked in an order that every JVM draws anew, so that a simulation of whoever walks them takes another course in each.
 */
public final class InOrder {
    private InOrder() {}

    /**
     * The elements, each once, in the order of their first.
     *
     * @throws NullPointerException when one is null
     */
    public static <E> Set<E> copyOf(Collection<? extends E> elements) {
        Set<E> copy = new LinkedHashSet<>(elements);
        copy.forEach(Objects::requireNonNull);
        return Collections.unmodifiableSet(copy);
    }

    /**
     * The entries, in their order.
     *
     * @throws NullPointerException when a key or a value is null
     */
    public static <K, V> Map<K, V> copyOf(Map<? extends K, ? extends V> entries) {
        Map<K, V> copy = new LinkedHashMap<>(entries);
        copy.forEach((key, value) -> {
            Objects.requireNonNull(key);
            Objects.requireNonNull(value);
        });
        return Collections.unmodifiableMap(copy);
    }
}
