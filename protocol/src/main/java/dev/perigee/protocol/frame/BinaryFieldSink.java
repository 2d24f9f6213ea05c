package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/** Writes custom header fields in the binary form: int16 key length, key, int32 value length, value. */
@OwnedBy("the header buffer it writes into")
final class BinaryFieldSink implements FieldSink {
    private final HeaderBuffer out;

    BinaryFieldSink(HeaderBuffer out) {
        this.out = out;
    }

    @Override
    public void text(String name, @Nullable String value) {
        if (value == null) {
            return;
        }
        name(name);
        int at = beginValue();
        endValue(at, out.writeText(value));
    }

    @Override
    public void utf8(String name, byte[] value) {
        name(name);
        out.writeInt(value.length);
        out.writeBytes(value);
    }

    @Override
    public void number(String name, long value) {
        name(name);
        int at = beginValue();
        endValue(at, out.writeDecimal(value));
    }

    @Override
    public void flag(String name, boolean value) {
        text(name, value ? "true" : "false");
    }

    private void name(String name) {
        out.writeShort(name.length());
        out.writeText(name);
    }

    private int beginValue() {
        int at = out.length();
        out.writeInt(0);
        return at;
    }

    private void endValue(int at, int length) {
        out.putInt(at, length);
    }
}
