package dev.perigee.client.codec;

import dev.perigee.client.error.CodecAbsentException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.CompressionType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.InflaterInputStream;

/**
 * Compresses and inflates bodies. The work is done on the calling thread.
 *
 * @param maxInflatedBytes the largest body an inflated message may have; a longer one is refused before it takes memory
 */
@Immutable
public record BodyCodec(int maxInflatedBytes) {
    /** Bodies this long and longer are never inflated unless a caller asks for more: 64 MiB. */
    public static final int DEFAULT_MAX_INFLATED_BYTES = 64 << 20;

    private static final int CHUNK_BYTES = 8192;

    public BodyCodec {
        if (maxInflatedBytes <= 0) {
            throw new IllegalArgumentException("maxInflatedBytes=" + maxInflatedBytes + ", must be above 0");
        }
    }

    /**
     * Compresses a body.
     *
     * @param level 1 (fast) to 9 (small); LZ4 has only one level
     * @param site for the text of failures
     * @throws CodecAbsentException when the library of the type is not on the class path
     */
    public byte[] compress(CompressionType type, byte[] body, int level, FailureSite site) throws CodecAbsentException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 2 + 64);
        try (OutputStream compressing = compressing(type, out, level, site)) {
            compressing.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException("compressing in memory failed type=" + type, e);
        }
        return out.toByteArray();
    }

    /**
     * Inflates a body.
     *
     * @param site for the text of failures
     * @throws CodecAbsentException when the library of the type is not on the class path
     * @throws MalformedAnswerException when the bytes are not of the type, or inflate beyond the limit
     */
    public byte[] inflate(CompressionType type, byte[] body, FailureSite site)
            throws CodecAbsentException, MalformedAnswerException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length * 2);
        try (InputStream inflating = inflating(type, body, site)) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int n = inflating.read(chunk); n >= 0; n = inflating.read(chunk)) {
                if (out.size() + n > maxInflatedBytes) {
                    throw new MalformedAnswerException(
                            "body inflates beyond " + maxInflatedBytes + " bytes type=" + type, site);
                }
                out.write(chunk, 0, n);
            }
        } catch (IOException e) {
            throw new MalformedAnswerException("body is not " + type, site, e);
        }
        return out.toByteArray();
    }

    private static OutputStream compressing(CompressionType type, OutputStream out, int level, FailureSite site)
            throws CodecAbsentException, IOException {
        try {
            return switch (type) {
                case ZLIB -> new ZlibStream(out, level);
                case LZ4 -> Lz4Frames.compressing(out);
                case ZSTD -> ZstdFrames.compressing(out, level);
            };
        } catch (LinkageError e) { // also a library that is there and cannot load its native part
            throw absent(type, site, e);
        }
    }

    private static InputStream inflating(CompressionType type, byte[] body, FailureSite site)
            throws CodecAbsentException, IOException {
        try {
            return switch (type) {
                case ZLIB -> new InflaterInputStream(new ByteArrayInputStream(body));
                case LZ4 -> Lz4Frames.inflating(body);
                case ZSTD -> ZstdFrames.inflating(body);
            };
        } catch (LinkageError e) {
            throw absent(type, site, e);
        }
    }

    private static CodecAbsentException absent(CompressionType type, FailureSite site, LinkageError e) {
        String library = type == CompressionType.LZ4 ? "at.yawk.lz4:lz4-java" : "com.github.luben:zstd-jni";
        return new CodecAbsentException(
                "compression type=" + type + " needs " + library + " on the class path", site, e);
    }
}
