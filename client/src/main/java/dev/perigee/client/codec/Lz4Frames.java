package dev.perigee.client.codec;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;

/** The LZ4 frame format. The only class that links against the optional LZ4 library. */
final class Lz4Frames {
    private Lz4Frames() {}

    static OutputStream compressing(OutputStream out) throws IOException {
        return new LZ4FrameOutputStream(out);
    }

    static InputStream inflating(byte[] body) throws IOException {
        return new LZ4FrameInputStream(new ByteArrayInputStream(body));
    }
}
