package dev.perigee.client.codec;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** A zlib stream that also frees its native compressor when closed. */
final class ZlibStream extends DeflaterOutputStream {
    ZlibStream(OutputStream out, int level) {
        super(out, new Deflater(level));
    }

    @Override
    public void close() throws IOException {
        try {
            super.close();
        } finally {
            def.end();
        }
    }
}
