package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A handle on a {@link MemoryFile}; dies with the power. */
@OwnedBy("the test")
final class OpenFile implements DiskFile {
    private final CrashingDisk disk;
    private final MemoryFile file;
    private final String name;
    private final boolean writable;
    private final int powerCycle;
    private boolean closed;

    OpenFile(CrashingDisk disk, MemoryFile file, String name, boolean writable) {
        this.disk = disk;
        this.file = file;
        this.name = name;
        this.writable = writable;
        this.powerCycle = disk.powerCycles();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        checkOpen();
        return file.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        checkWritable();
        file.write(source, position);
    }

    @Override
    public void force() throws IOException {
        checkWritable();
        file.force();
    }

    @Override
    public void resize(long size) throws IOException {
        checkWritable();
        file.resize(size);
    }

    @Override
    public long size() throws IOException {
        checkOpen();
        return file.size();
    }

    @Override
    public ByteBuffer map(long position, int sizeBytes) throws IOException {
        checkOpen();
        return file.map(position, sizeBytes);
    }

    @Override
    public void close() {
        closed = true;
    }

    private void checkOpen() throws IOException {
        if (closed || powerCycle != disk.powerCycles()) {
            throw new IOException(name + " is closed");
        }
    }

    private void checkWritable() throws IOException {
        checkOpen();
        if (!writable) {
            throw new IOException(name + " is open for reading only");
        }
    }
}
