package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A disk whose process is killed in one of its calls: calls that change something are counted, and the one that exceeds the count is not
 * done, or half done when it is a write, as is nothing after it until {@link #liveAgain}. What is left then is the other disk's
 * affair: {@link CrashingDisk#kill} or {@link CrashingDisk#crash}.
 */
@OwnedBy("the test")
public final class DyingDisk extends ForwardingDisk {
    private int callsLeft = Integer.MAX_VALUE;
    private boolean dead;

    public DyingDisk(Disk disk) {
        super(disk);
    }

    /** The process is killed in the call after so many more that change something. */
    public void killAfter(int calls) {
        callsLeft = calls;
    }

    /** Whether the process was killed. */
    public boolean isDead() {
        return dead;
    }

    /** Another process, which nobody kills. */
    public void liveAgain() {
        callsLeft = Integer.MAX_VALUE;
        dead = false;
    }

    private void count() throws IOException {
        if (dead || callsLeft == 0) {
            dead = true;
            throw new IOException("injected: killed");
        }
        callsLeft--;
    }

    @Override
    public DiskFile open(String name) throws IOException {
        if (!super.exists(name)) {
            count();
        }
        return new DyingFile(super.open(name));
    }

    @Override
    public void makeFolder(String folder) throws IOException {
        count();
        super.makeFolder(folder);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        count();
        super.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        count();
        super.delete(name);
    }

    @Override
    public void syncFolder(String folder) throws IOException {
        count();
        super.syncFolder(folder);
    }

    private final class DyingFile extends ForwardingFile {
        DyingFile(DiskFile file) {
            super(file);
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            if (!dead && callsLeft == 0) {
                ByteBuffer half = source.duplicate();
                super.write(half.limit(half.position() + half.remaining() / 2), position);
            }
            count();
            super.write(source, position);
        }

        @Override
        public void force() throws IOException {
            count();
            super.force();
        }

        @Override
        public void resize(long size) throws IOException {
            count();
            super.resize(size);
        }
    }
}
