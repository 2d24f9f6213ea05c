package dev.perigee.protocol.scan;

import dev.perigee.loop.OwnedBy;

/**
 * Walks over JSON text in a byte array without making objects. After each value it tells where the value lies. Accepts
 * standard JSON, and raw control characters inside strings, which some clients send.
 */
@OwnedBy("the thread that decodes the frame")
public final class JsonScanner {
    /** What the last scanned value is. */
    public enum Kind {
        STRING,
        NUMBER,
        TRUE,
        FALSE,
        NULL,
        NESTED
    }

    private static final int MAX_DEPTH = 32;
    private static final int END = -1;
    private static final int ESCAPE_HEX_DIGITS = 4;

    private final byte[] bytes;
    private final int end;
    private int position;
    private int valueStart;
    private int valueEnd;
    private boolean escaped;

    public JsonScanner(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    public int position() {
        return position;
    }

    /** First byte of the last value; for a string the first byte behind the quote. */
    public int valueStart() {
        return valueStart;
    }

    /** The byte behind the last value; for a string the closing quote. */
    public int valueEnd() {
        return valueEnd;
    }

    /** Whether the last string contains escapes. */
    public boolean escaped() {
        return escaped;
    }

    /** Whether the next byte behind white space is this one. */
    public boolean isNext(int wanted) {
        return peek() == wanted;
    }

    /** Passes over white space and the given byte if it is there. */
    public boolean accept(int wanted) {
        if (peek() == wanted) {
            position++;
            return true;
        }
        return false;
    }

    public void expect(int wanted) throws BadJsonException {
        if (!accept(wanted)) {
            throw broken("expected '" + (char) wanted + "'");
        }
    }

    public void expectEnd() throws BadJsonException {
        if (peek() != END) {
            throw broken("text behind the end");
        }
    }

    /** Scans a string; its opening quote must come next. */
    public void scanString() throws BadJsonException {
        expect('"');
        int at = position;
        boolean sawEscape = false;
        while (at < end && bytes[at] != '"') {
            if (bytes[at] == '\\') {
                sawEscape = true;
                at = checkEscape(at);
            } else {
                at++;
            }
        }
        if (at >= end) {
            throw broken("string without end");
        }
        valueStart = position;
        valueEnd = at;
        escaped = sawEscape;
        position = at + 1;
    }

    public Kind scanValue() throws BadJsonException {
        return scanValue(0);
    }

    private Kind scanValue(int depth) throws BadJsonException {
        int next = peek();
        switch (next) {
            case '"' -> {
                scanString();
                return Kind.STRING;
            }
            case '{', '[' -> {
                scanNested(depth);
                return Kind.NESTED;
            }
            case 't' -> {
                scanWord("true");
                return Kind.TRUE;
            }
            case 'f' -> {
                scanWord("false");
                return Kind.FALSE;
            }
            case 'n' -> {
                scanWord("null");
                return Kind.NULL;
            }
            default -> {
                scanNumber();
                return Kind.NUMBER;
            }
        }
    }

    private void scanNested(int depth) throws BadJsonException {
        if (depth == MAX_DEPTH) {
            throw broken("nested deeper than " + MAX_DEPTH);
        }
        int start = position;
        boolean object = bytes[position++] == '{';
        int close = object ? '}' : ']';
        if (!accept(close)) {
            do {
                if (object) {
                    scanString();
                    expect(':');
                }
                scanValue(depth + 1);
            } while (accept(','));
            expect(close);
        }
        valueStart = start;
        valueEnd = position;
        escaped = false;
    }

    private void scanWord(String word) throws BadJsonException {
        for (int i = 0; i < word.length(); i++) {
            if (position + i >= end || bytes[position + i] != word.charAt(i)) {
                throw broken("expected " + word);
            }
        }
        take(word.length());
    }

    private void scanNumber() throws BadJsonException {
        int at = position;
        while (at < end && isNumberByte(bytes[at])) {
            at++;
        }
        if (at == position) {
            throw broken("expected a value");
        }
        take(at - position);
    }

    private void take(int length) {
        valueStart = position;
        position += length;
        valueEnd = position;
        escaped = false;
    }

    private static boolean isNumberByte(byte b) {
        return (b >= '0' && b <= '9') || b == '-' || b == '+' || b == '.' || b == 'e' || b == 'E';
    }

    /** Passes over the escape at the given backslash. */
    private int checkEscape(int backslash) throws BadJsonException {
        int at = backslash + 1;
        if (at >= end) {
            throw broken("escape cut off");
        }
        switch (bytes[at]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                return at + 1;
            }
            case 'u' -> {
                if (end - at <= ESCAPE_HEX_DIGITS) {
                    throw broken("escape cut off");
                }
                for (int i = 1; i <= ESCAPE_HEX_DIGITS; i++) {
                    if (JsonEscapes.hexDigit(bytes[at + i]) < 0) {
                        throw broken("bad \\u escape");
                    }
                }
                return at + 1 + ESCAPE_HEX_DIGITS;
            }
            default -> throw broken("unknown escape");
        }
    }

    private int peek() {
        while (position < end) {
            byte b = bytes[position];
            if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                return b;
            }
            position++;
        }
        return END;
    }

    public BadJsonException broken(String reason) {
        return new BadJsonException("JSON: " + reason + " at byte " + position);
    }
}
