package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.scan.DecimalText;
import java.nio.charset.StandardCharsets;

/** Walks over the custom header of a JSON frame. */
@OwnedBy("the thread that decodes the frame")
final class JsonFieldCursor implements FieldCursor {
    private final JsonFields fields;
    private int at = -1;

    JsonFieldCursor(JsonFields fields) {
        this.fields = fields;
    }

    @Override
    public boolean next() {
        at++;
        return at < fields.count();
    }

    @Override
    public int key(KeyTable table) {
        return table.indexOf(fields.nameHash(at));
    }

    @Override
    public String keyText() {
        return fields.name(at);
    }

    @Override
    public String text() {
        return fields.value(at);
    }

    @Override
    public byte[] utf8() {
        return fields.value(at).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public long longValue() throws BadFieldException {
        try {
            return DecimalText.parseLong(fields.value(at));
        } catch (NumberFormatException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 64 bits");
        }
    }

    @Override
    public int intValue() throws BadFieldException {
        try {
            return Math.toIntExact(DecimalText.parseLong(fields.value(at)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw BadFieldException.unreadable(keyText(), text(), "a whole number of 32 bits");
        }
    }

    @Override
    public boolean booleanValue() {
        return "true".equalsIgnoreCase(fields.value(at));
    }

    @Override
    public void skip() {
        // next() moves on
    }
}
