package dev.perigee.protocol.frame;

import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONReader;
import com.alibaba.fastjson2.JSONWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The JSON form of a header. Top-level members may come in any order; unknown ones are passed over. */
final class JsonHeaderCodec {
    private static final KeyTable KEYS =
            KeyTable.of("code", "language", "version", "opaque", "flag", "remark", "extFields");
    private static final int EXT_FIELDS = 6;

    private JsonHeaderCodec() {}

    static FrameHeader decode(byte[] bytes, int offset, int length) throws MalformedFrameException {
        try (JSONReader in = JSONReader.of(bytes, offset, length, StandardCharsets.UTF_8)) {
            return new Reader(in, bytes, offset + length).read();
        } catch (JSONException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MalformedFrameException("header is no JSON: " + firstLine(e), e);
        }
    }

    private static String firstLine(RuntimeException e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf(", fastjson");
        return end < 0 ? message : message.substring(0, end);
    }

    /** Members are sorted by name, as stock peers write them. */
    static void encode(HeaderBuffer out, CommandHead head, @Nullable Consumer<FieldSink> fields) {
        try (JSONWriter json = JSONWriter.ofUTF8()) {
            json.startObject();
            number(json, "code", head.code());
            if (fields != null) {
                name(json, "extFields");
                json.startObject();
                fields.accept(new JsonFieldSink(json));
                json.endObject();
            }
            number(json, "flag", head.flag());
            name(json, "language");
            json.writeString(head.language().name());
            number(json, "opaque", head.opaque());
            if (head.remark() != null) {
                name(json, "remark");
                json.writeString(head.remark());
            }
            number(json, "version", head.version());
            json.endObject();
            out.writeBytes(json.getBytes());
        }
    }

    private static void number(JSONWriter json, String name, int value) {
        name(json, name);
        json.writeInt32(value);
    }

    private static void name(JSONWriter json, String name) {
        json.writeName(name);
        json.writeColon();
    }

    /** The state of one decoding. */
    private static final class Reader {
        private final JSONReader in;
        private final int end;
        private final JsonFields fields;
        private int code;
        private Language language = Language.JAVA;
        private int version;
        private int opaque;
        private int flag;
        private @Nullable String remark;
        private boolean hasFields;

        Reader(JSONReader in, byte[] bytes, int end) {
            this.in = in;
            this.end = end;
            this.fields = new JsonFields(bytes, end);
        }

        FrameHeader read() throws MalformedFrameException {
            if (!in.nextIfObjectStart()) {
                throw new MalformedFrameException("header is no JSON object");
            }
            while (!in.nextIfObjectEnd()) {
                int key = KEYS.indexOf(in.readFieldNameHashCode());
                if (in.isObject() || in.isArray()) {
                    readNested(key);
                } else if (!in.nextIfNull()) {
                    readMember(key);
                }
            }
            if (!in.isEnd() || in.getOffset() > end) {
                throw new MalformedFrameException("header is not one JSON object");
            }
            CommandHead head = new CommandHead(code, language, version, opaque, flag, remark, HeaderSerialization.JSON);
            return new FrameHeader(head, hasFields ? fields : null);
        }

        private void readNested(int key) throws MalformedFrameException {
            if (key == EXT_FIELDS && in.isObject()) {
                hasFields = true;
                fields.read(in);
            } else if (key != KeyTable.UNKNOWN) {
                throw new MalformedFrameException("header member " + KEYS.name(key) + " has a nested value");
            } else {
                fields.skipNested(in);
            }
        }

        private void readMember(int key) throws MalformedFrameException {
            switch (key) {
                case 0 -> code = number(key);
                case 1 -> language = language();
                case 2 -> version = number(key);
                case 3 -> opaque = number(key);
                case 4 -> flag = number(key);
                case 5 -> remark = in.readString();
                case EXT_FIELDS -> throw new MalformedFrameException("header member extFields is not an object");
                default -> in.skipValue();
            }
        }

        private int number(int key) throws MalformedFrameException {
            String text = in.readString();
            try {
                return Integer.parseInt(text);
            } catch (NumberFormatException e) {
                throw new MalformedFrameException("header member " + KEYS.name(key) + " is no int: " + text, e);
            }
        }

        private Language language() {
            boolean ordinal = in.isNumber();
            String text = in.readString();
            if (!ordinal) {
                return Language.ofName(text);
            }
            boolean digits = text.length() <= 2 && text.chars().allMatch(c -> c >= '0' && c <= '9');
            return digits ? Language.ofCode(Integer.parseInt(text)) : Language.OTHER;
        }
    }
}
