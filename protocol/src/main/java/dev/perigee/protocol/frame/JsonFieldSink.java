package dev.perigee.protocol.frame;

import com.alibaba.fastjson2.JSONWriter;
import dev.perigee.loop.OwnedBy;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes custom header fields as members of a JSON object, all values as text. */
@OwnedBy("the thread that encodes the frame")
final class JsonFieldSink implements FieldSink {
    private final JSONWriter out;

    JsonFieldSink(JSONWriter out) {
        this.out = out;
    }

    @Override
    public void text(String name, @Nullable String value) {
        if (value != null) {
            name(name);
            out.writeString(value);
        }
    }

    @Override
    public void utf8(String name, byte[] value) {
        text(name, new String(value, StandardCharsets.UTF_8));
    }

    @Override
    public void number(String name, long value) {
        name(name);
        out.writeString(value);
    }

    @Override
    public void flag(String name, boolean value) {
        text(name, value ? "true" : "false");
    }

    private void name(String name) {
        out.writeName(name);
        out.writeColon();
    }
}
