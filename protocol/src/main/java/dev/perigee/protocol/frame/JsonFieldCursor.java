package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.scan.BadJsonException;
import dev.perigee.protocol.scan.DecimalText;
import dev.perigee.protocol.scan.JsonEscapes;
import dev.perigee.protocol.scan.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Walks over the members of a JSON object that was scanned, and so checked, before. */
@OwnedBy("the thread that decodes the frame")
final class JsonFieldCursor implements FieldCursor {
    private final byte[] bytes;
    private final JsonScanner scanner;
    private boolean started;
    private int keyStart;
    private int keyEnd;
    private boolean keyEscaped;
    private int valueStart;
    private int valueEnd;
    private boolean valueEscaped;

    JsonFieldCursor(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.scanner = new JsonScanner(bytes, start, end);
    }

    @Override
    public boolean next() {
        try {
            while (scanner.accept(started ? ',' : '{')) {
                if (!started) {
                    started = true;
                    if (scanner.accept('}')) {
                        return false;
                    }
                }
                scanner.scanString();
                keyStart = scanner.valueStart();
                keyEnd = scanner.valueEnd();
                keyEscaped = scanner.escaped();
                scanner.expect(':');
                if (scanner.scanValue() != JsonScanner.Kind.NULL) {
                    valueStart = scanner.valueStart();
                    valueEnd = scanner.valueEnd();
                    valueEscaped = scanner.escaped();
                    return true;
                }
            }
            return false;
        } catch (BadJsonException e) {
            throw new IllegalStateException("the header changed under its cursor", e);
        }
    }

    @Override
    public int key(KeyTable table) {
        if (keyEscaped) {
            byte[] plain = JsonEscapes.unescape(bytes, keyStart, keyEnd);
            return table.indexOf(plain, 0, plain.length);
        }
        return table.indexOf(bytes, keyStart, keyEnd);
    }

    @Override
    public String keyText() {
        return string(keyStart, keyEnd, keyEscaped);
    }

    @Override
    public String text() {
        return string(valueStart, valueEnd, valueEscaped);
    }

    @Override
    public byte[] utf8() {
        return valueEscaped
                ? JsonEscapes.unescape(bytes, valueStart, valueEnd)
                : Arrays.copyOfRange(bytes, valueStart, valueEnd);
    }

    @Override
    public long longValue() throws BadFieldException {
        try {
            return DecimalText.parseLong(bytes, valueStart, valueEnd);
        } catch (NumberFormatException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 64 bits");
        }
    }

    @Override
    public int intValue() throws BadFieldException {
        try {
            return Math.toIntExact(DecimalText.parseLong(bytes, valueStart, valueEnd));
        } catch (NumberFormatException | ArithmeticException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 32 bits");
        }
    }

    @Override
    public boolean booleanValue() {
        return DecimalText.isTrue(bytes, valueStart, valueEnd);
    }

    @Override
    public void skip() {
        // next() already stands behind the value
    }

    private String string(int from, int to, boolean escaped) {
        return escaped
                ? new String(JsonEscapes.unescape(bytes, from, to), StandardCharsets.UTF_8)
                : new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}
