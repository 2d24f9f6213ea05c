package dev.perigee.broker.filter;

import dev.perigee.loop.Immutable;
import org.jspecify.annotations.Nullable;

/** A part of an SQL92 expression that has a value for each message. Evaluating it never fails. */
@Immutable
interface Operand {
    /** A text, a Long, a Double or a Boolean; null when it is unknown; {@link Truth#BROKEN}. */
    @Nullable
    Object value(PropertyLookup properties);

    /** Something that is written in the expression; {@code value} is null for NULL. */
    record Literal(@Nullable Object value) implements Operand {
        @Override
        public @Nullable Object value(PropertyLookup properties) {
            return value;
        }
    }

    /** The text of a property. */
    record Property(String name) implements Operand {
        @Override
        public @Nullable Object value(PropertyLookup properties) {
            return properties.get(name);
        }
    }

    /** Minus something; unknown unless that is a number. */
    record Negative(Operand of) implements Operand {
        @Override
        public @Nullable Object value(PropertyLookup properties) {
            Object value = of.value(properties);
            if (value instanceof Long number) {
                return -number;
            }
            if (value instanceof Double number) {
                return -number;
            }
            return value == Truth.BROKEN ? value : null;
        }
    }

    /** Something that holds or does not. */
    interface Condition extends Operand {
        /** Whether it holds for the message with these properties. */
        Truth test(PropertyLookup properties);

        @Override
        default @Nullable Object value(PropertyLookup properties) {
            return test(properties).asValue();
        }
    }
}
