package dev.perigee.broker.filter;

import org.jspecify.annotations.Nullable;

/** The properties of one message, by name. */
@FunctionalInterface
public interface PropertyLookup {
    /** The value of the property of this name, or null; when there are several, the last one. The name is ASCII. */
    @Nullable
    String get(String name);
}
