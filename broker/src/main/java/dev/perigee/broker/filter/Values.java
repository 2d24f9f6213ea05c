package dev.perigee.broker.filter;

import org.jspecify.annotations.Nullable;

/**
 * Comparisons of values. Properties are texts, so a text is read as what it is compared with: as a whole number, a number or a truth. A
 * text that cannot be read so breaks the comparison. What exactly can be read is as on stock brokers, and recorded in the test resource
 * {@code sql-oracle.tsv}.
 */
final class Values {
    private static final int RADIX = 10;

    private Values() {}

    /** {@code left = right}. Two unknown values are equal; an unknown one on the left makes it unknown, one on the right false. */
    static Truth equal(@Nullable Object left, @Nullable Object right) {
        if (left == Truth.BROKEN || right == Truth.BROKEN) {
            return Truth.BROKEN;
        }
        if (left == null) {
            return right == null ? Truth.TRUE : Truth.UNKNOWN;
        }
        if (right == null) {
            return Truth.FALSE;
        }
        if (left instanceof Boolean || right instanceof Boolean) {
            return equalTruths(left, right);
        }
        if (left instanceof String text && right instanceof String other) {
            return Truth.of(text.equals(other));
        }
        return Order.EQUAL.test(left, right);
    }

    private static Truth equalTruths(Object left, Object right) {
        if (left instanceof String text) {
            return Truth.of(Boolean.valueOf(text).equals(right));
        }
        return right instanceof String ? Truth.BROKEN : Truth.of(left.equals(right));
    }

    /** Which of two is the larger. */
    enum Order {
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST,
        EQUAL;

        /** Unknown when one of them is; two texts are compared as numbers. */
        Truth test(@Nullable Object left, @Nullable Object right) {
            if (left == Truth.BROKEN || right == Truth.BROKEN) {
                return Truth.BROKEN;
            }
            if (left == null || right == null) {
                return Truth.UNKNOWN;
            }
            if (left instanceof String text && right instanceof Long number) {
                return isWhole(text) ? holds(Long.compare(Long.parseLong(text), number)) : Truth.BROKEN;
            }
            if (left instanceof Long number && right instanceof String text) {
                return isWhole(text) ? holds(Long.compare(number, Long.parseLong(text))) : Truth.BROKEN;
            }
            if (left instanceof Long number && right instanceof Long other) {
                return holds(Long.compare(number, other));
            }
            return testNumbers(left, right);
        }

        private Truth testNumbers(Object left, Object right) {
            Double one = number(left);
            Double other = number(right);
            return one == null || other == null ? Truth.BROKEN : holds(Double.compare(one, other));
        }

        private Truth holds(int sign) {
            return Truth.of(
                    switch (this) {
                        case LESS -> sign < 0;
                        case AT_MOST -> sign <= 0;
                        case GREATER -> sign > 0;
                        case AT_LEAST -> sign >= 0;
                        case EQUAL -> sign == 0;
                    });
        }
    }

    private static @Nullable Double number(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        if (!(value instanceof String text) || !mayBeNumber(text)) {
            return null;
        }
        try {
            return Double.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Saves the cost of an exception for a text that plainly is none. */
    private static boolean mayBeNumber(String text) {
        String bare = text.strip();
        return !bare.isEmpty()
                && (Character.isDigit(bare.charAt(bare.length() - 1))
                        || "yNfFdD.".indexOf(bare.charAt(bare.length() - 1)) >= 0);
    }

    /** Whether {@link Long#parseLong(String)} can read the text; asked first, because a refusal by exception costs a microsecond. */
    static boolean isWhole(String text) {
        int length = text.length();
        int at = length > 0 && (text.charAt(0) == '-' || text.charAt(0) == '+') ? 1 : 0;
        boolean negative = at == 1 && text.charAt(0) == '-';
        if (at == length) {
            return false;
        }
        long limit = negative ? Long.MIN_VALUE : -Long.MAX_VALUE;
        long value = 0; // counted downwards, for there is one negative number more
        for (; at < length; at++) {
            int digit = Character.digit(text.charAt(at), RADIX);
            if (digit < 0 || value < limit / RADIX || value * RADIX < limit + digit) {
                return false;
            }
            value = value * RADIX - digit;
        }
        return true;
    }
}
