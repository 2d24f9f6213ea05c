package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Passes everything on; a test overrides what is to go wrong. */
@OwnedBy("the test")
public class ForwardingFile implements DiskFile {
    private final DiskFile file;

    public ForwardingFile(DiskFile file) {
        this.file = file;
    }

    @Override
    public String name() {
        return file.name();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return file.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        file.write(source, position);
    }

    @Override
    public void force() throws IOException {
        file.force();
    }

    @Override
    public void resize(long size) throws IOException {
        file.resize(size);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public ByteBuffer map(long position, int sizeBytes) throws IOException {
        return file.map(position, sizeBytes);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
