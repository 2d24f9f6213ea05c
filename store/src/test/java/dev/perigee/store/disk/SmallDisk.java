package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A disk of few bytes that others may fill. Every write of the log takes as many bytes as it has, as where no block is there
 * before it is written; other files take theirs when they grow. Only the ballast gives its bytes back.
 */
@OwnedBy("the test")
public final class SmallDisk extends ForwardingDisk {
    private static final String BALLAST = "ballast";

    private final long totalBytes;
    private long ownBytes;
    private long foreignBytes;
    private boolean failing;

    public SmallDisk(Disk disk, long totalBytes) {
        super(disk);
        this.totalBytes = totalBytes;
    }

    /** Others have so many bytes of it now, or all there are. */
    public void foreignTakes(long bytes) {
        foreignBytes = Math.min(bytes, totalBytes - ownBytes);
    }

    /** Others delete something. */
    public void giveBack(long bytes) {
        foreignBytes -= bytes;
    }

    /** From now on writes fail for another reason than space. */
    public void failWrites() {
        failing = true;
    }

    private void claim(long bytes) throws IOException {
        if (failing) {
            throw new IOException("injected: write failed");
        }
        if (bytes > freeBytes()) {
            throw new IOException("No space left on device");
        }
        ownBytes += bytes;
    }

    @Override
    public long freeBytes() {
        return totalBytes - ownBytes - foreignBytes;
    }

    @Override
    public long totalBytes() {
        return totalBytes;
    }

    @Override
    public void delete(String name) throws IOException {
        if (name.equals(BALLAST) && exists(name)) {
            try (DiskFile file = openRead(name)) {
                ownBytes -= file.size();
            }
        }
        super.delete(name);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        DiskFile file = super.open(name);
        return new ForwardingFile(file) {
            @Override
            public void write(ByteBuffer source, long position) throws IOException {
                long grown = Math.max(0, position + source.remaining() - file.size());
                claim(name.startsWith("commitlog/") ? source.remaining() : grown);
                super.write(source, position);
            }

            @Override
            public void resize(long size) throws IOException {
                claim(size > file.size() ? 1 : 0);
                super.resize(size);
            }
        };
    }
}
