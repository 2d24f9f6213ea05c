package dev.perigee.protocol.frame;

import dev.perigee.protocol.scan.BadJsonException;
import dev.perigee.protocol.scan.JsonEscapes;
import dev.perigee.protocol.scan.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The JSON form of a header. Top-level members may come in any order; unknown ones are passed over. */
final class JsonHeaderCodec {
    private static final KeyTable KEYS =
            KeyTable.of("code", "language", "version", "opaque", "flag", "remark", "extFields");

    private static final int EXT_FIELDS = 6;

    private static final byte[] CODE = ascii("{\"code\":");
    private static final byte[] FIELDS = ascii(",\"extFields\":{");
    private static final byte[] FLAG = ascii(",\"flag\":");
    private static final byte[] LANGUAGE = ascii(",\"language\":\"");
    private static final byte[] OPAQUE = ascii("\",\"opaque\":");
    private static final byte[] REMARK = ascii(",\"remark\":");
    private static final byte[] VERSION = ascii(",\"version\":");

    private JsonHeaderCodec() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static FrameHeader decode(byte[] bytes, int offset, int length) throws MalformedFrameException {
        try {
            return new Reader(bytes, offset, offset + length).read();
        } catch (BadJsonException e) {
            throw new MalformedFrameException("header is unreadable: " + e.getMessage(), e);
        }
    }

    static void encode(HeaderBuffer out, CommandHead head, @Nullable Consumer<FieldSink> fields) {
        out.writeBytes(CODE);
        out.writeDecimal(head.code());
        if (fields != null) {
            out.writeBytes(FIELDS);
            fields.accept(out.jsonSink());
            out.writeByte('}');
        }
        out.writeBytes(FLAG);
        out.writeDecimal(head.flag());
        out.writeBytes(LANGUAGE);
        out.writeText(head.language().name());
        out.writeBytes(OPAQUE);
        out.writeDecimal(head.opaque());
        String remark = head.remark();
        if (remark != null) {
            out.writeBytes(REMARK);
            JsonFieldSink.writeString(out, remark);
        }
        out.writeBytes(VERSION);
        out.writeDecimal(head.version());
        out.writeByte('}');
    }

    /** The state of one decoding. */
    private static final class Reader {
        private final byte[] bytes;
        private final JsonScanner scanner;
        private int code;
        private Language language = Language.JAVA;
        private int version;
        private int opaque;
        private int flag;
        private @Nullable String remark;
        private JsonFieldCursor.@Nullable Places places;

        Reader(byte[] bytes, int start, int end) {
            this.bytes = bytes;
            this.scanner = new JsonScanner(bytes, start, end);
        }

        FrameHeader read() throws MalformedFrameException, BadJsonException {
            scanner.expect('{');
            if (!scanner.accept('}')) {
                do {
                    scanner.scanString();
                    int key = scanner.escaped()
                            ? KeyTable.UNKNOWN
                            : KEYS.indexOf(bytes, scanner.valueStart(), scanner.valueEnd());
                    scanner.expect(':');
                    if (key == EXT_FIELDS && scanner.isNext('{')) {
                        places = new JsonFieldCursor.Places();
                        places.scan(scanner);
                    } else {
                        readMember(key, scanner.scanValue());
                    }
                } while (scanner.accept(','));
                scanner.expect('}');
            }
            scanner.expectEnd();
            CommandHead head = new CommandHead(code, language, version, opaque, flag, remark, HeaderSerialization.JSON);
            return new FrameHeader(head, bytes, places);
        }

        private void readMember(int key, JsonScanner.Kind kind) throws MalformedFrameException {
            if (kind == JsonScanner.Kind.NULL) {
                return;
            }
            switch (key) {
                case 0 -> code = number(key, kind);
                case 1 -> language = language(kind);
                case 2 -> version = number(key, kind);
                case 3 -> opaque = number(key, kind);
                case 4 -> flag = number(key, kind);
                case 5 -> remark = text();
                case EXT_FIELDS -> throw new MalformedFrameException("header member extFields is not an object");
                default -> {
                    // not ours
                }
            }
        }

        private int number(int key, JsonScanner.Kind kind) throws MalformedFrameException {
            if (kind == JsonScanner.Kind.NUMBER || kind == JsonScanner.Kind.STRING) {
                try {
                    return Integer.parseInt(text());
                } catch (NumberFormatException e) {
                    throw new MalformedFrameException("header member " + KEYS.name(key) + " is no int: " + text(), e);
                }
            }
            throw new MalformedFrameException("header member " + KEYS.name(key) + " is no number");
        }

        private Language language(JsonScanner.Kind kind) {
            if (kind == JsonScanner.Kind.NUMBER) {
                String ordinal = text();
                return ordinal.length() <= 2 && ordinal.chars().allMatch(Character::isDigit)
                        ? Language.ofCode(Integer.parseInt(ordinal))
                        : Language.OTHER;
            }
            return Language.ofName(text());
        }

        private String text() {
            int from = scanner.valueStart();
            int to = scanner.valueEnd();
            return scanner.escaped()
                    ? new String(JsonEscapes.unescape(bytes, from, to), StandardCharsets.UTF_8)
                    : new String(bytes, from, to - from, StandardCharsets.UTF_8);
        }
    }
}
