package dev.perigee.protocol;

import com.alibaba.fastjson2.JSON;
import com.alibaba.fastjson2.JSONObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The golden bytes: made with stock jars, never changed by hand. */
public final class TestVectors {
    private TestVectors() {}

    /** The bytes of a vector, for instance {@code 04-batch-body}. */
    public static byte[] bytes(String name) {
        return HexFormat.of().parseHex(text(name + ".hex").replaceAll("\\s", ""));
    }

    /** What the vector is. */
    public static JSONObject description(String name) {
        return JSON.parseObject(text(name + ".json"));
    }

    private static String text(String file) {
        try (InputStream in = TestVectors.class.getResourceAsStream("/test-vectors/" + file)) {
            if (in == null) {
                throw new IllegalArgumentException("no vector " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
