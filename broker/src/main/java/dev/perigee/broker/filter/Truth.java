package dev.perigee.broker.filter;

import org.jspecify.annotations.Nullable;

/** What a condition comes to for one message. */
enum Truth {
    TRUE,
    FALSE,
    /** A property it asks for is missing. */
    UNKNOWN,
    /** A property cannot be read as what it is compared with. Whatever looks at it is broken too; the message is not taken. */
    BROKEN;

    static Truth of(boolean holds) {
        return holds ? TRUE : FALSE;
    }

    /** A value in the place of a condition: no value is unknown, and of the others only the truth itself is true. */
    static Truth of(@Nullable Object value) {
        if (value == null) {
            return UNKNOWN;
        }
        return value == BROKEN ? BROKEN : of(Boolean.TRUE.equals(value));
    }

    Truth not() {
        return switch (this) {
            case TRUE -> FALSE;
            case FALSE -> TRUE;
            case UNKNOWN, BROKEN -> this;
        };
    }

    /** A condition in the place of a value: a boolean, null when unknown, or {@link #BROKEN}. */
    @Nullable
    Object asValue() {
        return switch (this) {
            case TRUE -> true;
            case FALSE -> false;
            case UNKNOWN -> null;
            case BROKEN -> BROKEN;
        };
    }
}
