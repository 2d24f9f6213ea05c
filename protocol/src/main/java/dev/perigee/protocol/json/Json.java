package dev.perigee.protocol.json;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONException;
import com.alibaba.fastjson2.JSONFactory;
import com.alibaba.fastjson2.JSONWriter;
import java.nio.charset.StandardCharsets;

/**
 * Bodies as JSON. Members are sorted by name and nulls left out. Reading accepts both dialects, passes over unknown
 * members, and never makes an object of a type named in the text.
 *
 * <p>Thread-safe, pure functions.
 */
public final class Json {
    private Json() {}

    /**
     * The dialect stock peers expect of all answers but one: numeric map keys bare ({@code {0:"a"}}), object keys as
     * objects ({@code {{"queueId":0}:1}}).
     */
    public static byte[] write(Object value) {
        return JSON.toJSONBytes(value);
    }

    /** Standard JSON: all map keys quoted, everything but ASCII escaped. */
    public static byte[] writeStandard(Object value) {
        return JSON.toJSONBytes(value, JSONWriter.Feature.BrowserCompatible, JSONWriter.Feature.EscapeNoneAscii);
    }

    /** As {@link #write}, as text. */
    public static String writeText(Object value) {
        return new String(write(value), StandardCharsets.UTF_8);
    }

    /**
     * Reads a body of either dialect.
     *
     * @throws BadBodyException when it is empty, no JSON or not of the type
     */
    public static <T> T read(byte[] body, Class<T> type) throws BadBodyException {
        T value;
        try {
            value = JSON.parseObject(body, type, JSONFactory.createReadContext());
        } catch (JSONException | ClassCastException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new BadBodyException("body is no " + type.getSimpleName() + ": " + firstLine(e), e);
        } catch (StackOverflowError e) {
            // The parser recurses for every level, members nobody asked for included; no body of ours is deep.
            throw new BadBodyException("body is no " + type.getSimpleName() + ": it is nested too deeply", e);
        }
        if (value == null) {
            throw new BadBodyException("body is no " + type.getSimpleName() + ": it is empty");
        }
        return value;
    }

    /** Reads JSON text of either dialect. */
    public static <T> T read(String text, Class<T> type) throws BadBodyException {
        return read(text.getBytes(StandardCharsets.UTF_8), type);
    }

    /** Makes what writes and reads a type now. It is made at first use otherwise, which takes tens of milliseconds. */
    public static void prepare(Class<?> type) {
        JSONFactory.getDefaultObjectWriterProvider().getObjectWriter(type);
        JSONFactory.getDefaultObjectReaderProvider().getObjectReader(type);
    }

    private static String firstLine(Throwable e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
