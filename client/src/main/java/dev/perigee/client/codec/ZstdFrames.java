package dev.perigee.client.codec;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The Zstandard frame format. The only class that links against the optional zstd library. */
final class ZstdFrames {
    private ZstdFrames() {}

    static OutputStream compressing(OutputStream out, int level) throws IOException {
        return new ZstdOutputStream(out, level);
    }

    static InputStream inflating(byte[] body) throws IOException {
        return new ZstdInputStream(new ByteArrayInputStream(body));
    }
}
