package dev.perigee.protocol.property;

/** Walks over encoded properties in a byte array. */
final class PropertyBytes {
    static final byte NAME_END = 1;
    static final byte PAIR_END = 2;
    /** A shorter pair cannot have a name and a value. */
    static final int MIN_PAIR_BYTES = 3;

    private PropertyBytes() {}

    /** The end of the pair that starts here: the place of its separator, or the end of the text. */
    static int pairEnd(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != PAIR_END) {
            at++;
        }
        return at;
    }

    /** The place of the separator behind the name, or −1 when the pair has no name or no value. */
    static int nameEnd(byte[] bytes, int from, int pairEnd) {
        if (pairEnd - from < MIN_PAIR_BYTES) {
            return -1;
        }
        int at = from;
        while (at < pairEnd && bytes[at] != NAME_END) {
            at++;
        }
        return at == from || at >= pairEnd - 1 ? -1 : at;
    }

    /** Whether the pair that starts here has this name, which is ASCII. */
    static boolean hasName(byte[] bytes, int from, int pairEnd, String name) {
        int length = name.length();
        if (pairEnd - from < length + 2 || bytes[from + length] != NAME_END) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[from + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
