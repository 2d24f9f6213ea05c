package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes custom header fields as members of a JSON object, all values as text. */
@OwnedBy("the header buffer it writes into")
final class JsonFieldSink implements FieldSink {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int LAST_ASCII = 0x7F;

    private final HeaderBuffer out;
    private boolean first;

    JsonFieldSink(HeaderBuffer out) {
        this.out = out;
    }

    void begin() {
        first = true;
    }

    @Override
    public void text(String name, @Nullable String value) {
        if (value == null) {
            return;
        }
        name(name);
        writeString(out, value);
    }

    @Override
    public void utf8(String name, byte[] value) {
        name(name);
        writeEscaped(out, value);
    }

    @Override
    public void number(String name, long value) {
        name(name);
        out.writeByte('"');
        out.writeDecimal(value);
        out.writeByte('"');
    }

    @Override
    public void flag(String name, boolean value) {
        name(name);
        out.writeAscii(value ? "\"true\"" : "\"false\"");
    }

    private void name(String name) {
        if (first) {
            first = false;
        } else {
            out.writeByte(',');
        }
        writeString(out, name);
        out.writeByte(':');
    }

    /** Writes a JSON string literal. */
    static void writeString(HeaderBuffer out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < FIRST_PRINTABLE || c == '"' || c == '\\' || c > LAST_ASCII) {
                writeEscaped(out, text.getBytes(StandardCharsets.UTF_8));
                return;
            }
        }
        out.writeByte('"');
        out.writeAscii(text);
        out.writeByte('"');
    }

    private static void writeEscaped(HeaderBuffer out, byte[] utf8) {
        out.writeByte('"');
        int from = 0;
        for (int i = 0; i < utf8.length; i++) {
            byte b = utf8[i];
            if ((b >= 0 && b < FIRST_PRINTABLE) || b == '"' || b == '\\') {
                out.writeBytes(utf8, from, i - from);
                writeEscape(out, b);
                from = i + 1;
            }
        }
        out.writeBytes(utf8, from, utf8.length - from);
        out.writeByte('"');
    }

    private static void writeEscape(HeaderBuffer out, byte b) {
        out.writeByte('\\');
        if (b == '"' || b == '\\') {
            out.writeByte(b);
            return;
        }
        out.writeByte('u');
        out.writeByte('0');
        out.writeByte('0');
        out.writeByte(HEX[b >> 4]);
        out.writeByte(HEX[b & 15]);
    }
}
