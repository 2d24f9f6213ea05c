package dev.perigee.protocol.scan;

/** Reads whole numbers and booleans from text given as bytes. */
public final class DecimalText {
    private static final byte[] TRUE = {'t', 'r', 'u', 'e'};
    private static final int LOWER_CASE = 0x20;
    /** As many digits always fit a long. */
    private static final int SAFE_DIGITS = 18;

    private DecimalText() {}

    /**
     * Reads an optional sign and digits.
     *
     * @throws NumberFormatException when the text is anything else or does not fit a long
     */
    public static long parseLong(byte[] bytes, int from, int to) {
        boolean signed = from < to && (bytes[from] == '-' || bytes[from] == '+');
        int at = signed ? from + 1 : from;
        if (at >= to) {
            throw new NumberFormatException("no digits");
        }
        boolean checked = to - at > SAFE_DIGITS;
        long value = 0; // counts down, so that the smallest long fits
        for (; at < to; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9 || (checked && value < (Long.MIN_VALUE + digit) / 10)) {
                throw new NumberFormatException("not a whole number of 64 bits");
            }
            value = value * 10 - digit;
        }
        if (signed && bytes[from] == '-') {
            return value;
        }
        if (value == Long.MIN_VALUE) {
            throw new NumberFormatException("not a whole number of 64 bits");
        }
        return -value;
    }

    /** As {@link #parseLong(byte[], int, int)}, of ASCII digits only. */
    public static long parseLong(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > '9') {
                throw new NumberFormatException("not a whole number");
            }
        }
        return Long.parseLong(text);
    }

    /** Whether the text is {@code true} in any case. */
    public static boolean isTrue(byte[] bytes, int from, int to) {
        if (to - from != TRUE.length) {
            return false;
        }
        for (int i = 0; i < TRUE.length; i++) {
            if ((bytes[from + i] | LOWER_CASE) != TRUE[i]) {
                return false;
            }
        }
        return true;
    }
}
