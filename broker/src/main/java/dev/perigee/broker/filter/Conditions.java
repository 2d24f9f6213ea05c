package dev.perigee.broker.filter;

import dev.perigee.broker.filter.Operand.Condition;
import dev.perigee.loop.InOrder;
import java.util.List;
import java.util.Set;

/** The conditions an SQL92 expression is made of. Parts are looked at from left to right, and no further than needed. */
final class Conditions {
    /** Where in a text another has to be. */
    enum Part {
        ANYWHERE,
        START,
        END;

        private boolean holds(String text, String wanted) {
            return switch (this) {
                case ANYWHERE -> text.contains(wanted);
                case START -> text.startsWith(wanted);
                case END -> text.endsWith(wanted);
            };
        }
    }

    private Conditions() {}

    /** OR. */
    static Condition anyOf(List<Condition> parts) {
        return decidedBy(Truth.TRUE, parts);
    }

    /** AND. */
    static Condition allOf(List<Condition> parts) {
        return decidedBy(Truth.FALSE, parts);
    }

    /** The first part that is {@code decisive} or broken decides; else one unknown part makes it unknown. */
    private static Condition decidedBy(Truth decisive, List<Condition> parts) {
        Condition[] all = parts.toArray(new Condition[0]);
        return properties -> {
            Truth result = decisive.not();
            for (Condition part : all) {
                Truth truth = part.test(properties);
                if (truth == decisive || truth == Truth.BROKEN) {
                    return truth;
                }
                if (truth == Truth.UNKNOWN) {
                    result = truth;
                }
            }
            return result;
        };
    }

    static Condition not(Condition of) {
        return properties -> of.test(properties).not();
    }

    static Condition isNull(Operand of) {
        return properties -> {
            Object value = of.value(properties);
            return value == Truth.BROKEN ? Truth.BROKEN : Truth.of(value == null);
        };
    }

    static Condition equal(Operand left, Operand right) {
        return properties -> Values.equal(left.value(properties), right.value(properties));
    }

    static Condition ordered(Operand left, Values.Order order, Operand right) {
        return properties -> order.test(left.value(properties), right.value(properties));
    }

    /** Unknown when the property is missing. */
    static Condition in(Operand.Property property, Set<String> texts) {
        Set<String> wanted = InOrder.copyOf(texts);
        return properties -> {
            String text = properties.get(property.name());
            return text == null ? Truth.UNKNOWN : Truth.of(wanted.contains(text));
        };
    }

    /**
     * Whether that text is part of the value.
     *
     * @param wanted nothing is part of anything, nor not part of it: with an empty text, and with a value that is no text, the
     *     condition is false either way, as on stock brokers
     * @param whenPart what the condition is when the text is part of it
     */
    static Condition contains(Operand value, Part part, String wanted, Truth whenPart) {
        if (wanted.isEmpty()) {
            return properties -> value.value(properties) == Truth.BROKEN ? Truth.BROKEN : Truth.FALSE;
        }
        return properties -> {
            Object found = value.value(properties);
            if (found instanceof String text) {
                return part.holds(text, wanted) ? whenPart : whenPart.not();
            }
            return found == Truth.BROKEN ? Truth.BROKEN : Truth.FALSE;
        };
    }
}
