package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.scan.BadJsonException;
import dev.perigee.protocol.scan.DecimalText;
import dev.perigee.protocol.scan.JsonEscapes;
import dev.perigee.protocol.scan.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Walks over the members of a JSON object whose places were noted while the header was scanned. */
@OwnedBy("the thread that decodes the frame")
final class JsonFieldCursor implements FieldCursor {
    private static final int ESCAPED = 1 << 31;

    private final byte[] bytes;
    private final int[] places;
    private final int end;
    private int at = -Places.INTS_PER_FIELD;

    JsonFieldCursor(byte[] bytes, Places places) {
        this.bytes = bytes;
        this.places = places.ints;
        this.end = places.length;
    }

    /** Where names and values of an object lie: four numbers each. */
    @OwnedBy("the thread that decodes the frame")
    static final class Places {
        /** More fields are refused, so that a header of nothing but fields cannot multiply its memory. */
        static final int MAX_FIELDS = 1024;

        private static final int INTS_PER_FIELD = 4;
        private static final int INITIAL_FIELDS = 16;

        private int[] ints = new int[INITIAL_FIELDS * INTS_PER_FIELD];
        private int length;

        /** Scans the object that comes next and notes all members that are not null. */
        void scan(JsonScanner scanner) throws BadJsonException, MalformedFrameException {
            length = 0;
            scanner.expect('{');
            if (scanner.accept('}')) {
                return;
            }
            do {
                ensureRoom();
                scanner.scanString();
                ints[length] = scanner.valueStart();
                ints[length + 1] = scanner.valueEnd() | (scanner.escaped() ? ESCAPED : 0);
                scanner.expect(':');
                if (scanner.scanValue() != JsonScanner.Kind.NULL) {
                    ints[length + 2] = scanner.valueStart();
                    ints[length + 3] = scanner.valueEnd() | (scanner.escaped() ? ESCAPED : 0);
                    length += INTS_PER_FIELD;
                }
            } while (scanner.accept(','));
            scanner.expect('}');
        }

        private void ensureRoom() throws MalformedFrameException {
            if (length == MAX_FIELDS * INTS_PER_FIELD) {
                throw new MalformedFrameException("header has more than " + MAX_FIELDS + " fields");
            }
            if (length == ints.length) {
                ints = Arrays.copyOf(ints, length * 2);
            }
        }
    }

    @Override
    public boolean next() {
        at += Places.INTS_PER_FIELD;
        return at < end;
    }

    @Override
    public int key(KeyTable table) {
        int keyEnd = places[at + 1];
        if (keyEnd < 0) {
            byte[] plain = JsonEscapes.unescape(bytes, places[at], keyEnd & ~ESCAPED);
            return table.indexOf(plain, 0, plain.length);
        }
        return table.indexOf(bytes, places[at], keyEnd);
    }

    @Override
    public String keyText() {
        return string(places[at], places[at + 1]);
    }

    @Override
    public String text() {
        return string(places[at + 2], places[at + 3]);
    }

    @Override
    public byte[] utf8() {
        int valueEnd = places[at + 3];
        return valueEnd < 0
                ? JsonEscapes.unescape(bytes, places[at + 2], valueEnd & ~ESCAPED)
                : Arrays.copyOfRange(bytes, places[at + 2], valueEnd);
    }

    @Override
    public long longValue() throws BadFieldException {
        try {
            return number();
        } catch (NumberFormatException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 64 bits");
        }
    }

    @Override
    public int intValue() throws BadFieldException {
        try {
            return Math.toIntExact(number());
        } catch (NumberFormatException | ArithmeticException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 32 bits");
        }
    }

    @Override
    public boolean booleanValue() {
        return DecimalText.isTrue(bytes, places[at + 2], places[at + 3] & ~ESCAPED);
    }

    @Override
    public void skip() {
        // next() moves on
    }

    private long number() {
        return DecimalText.parseLong(bytes, places[at + 2], places[at + 3] & ~ESCAPED);
    }

    private String string(int from, int markedEnd) {
        if (markedEnd < 0) {
            return new String(JsonEscapes.unescape(bytes, from, markedEnd & ~ESCAPED), StandardCharsets.UTF_8);
        }
        return new String(bytes, from, markedEnd - from, StandardCharsets.UTF_8);
    }
}
