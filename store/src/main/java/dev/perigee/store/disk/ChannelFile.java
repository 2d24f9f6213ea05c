package dev.perigee.store.disk;

import dev.perigee.loop.ThreadSafe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file of a {@link FileDisk}. Threads that use it must not be interrupted: that would close the channel. */
@ThreadSafe
final class ChannelFile implements DiskFile {
    private static final ByteBuffer ONE_ZERO = ByteBuffer.allocate(1).asReadOnlyBuffer();

    private final String name;
    private final FileChannel channel;

    ChannelFile(String name, FileChannel channel) {
        this.name = name;
        this.channel = channel;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int total = 0;
        while (target.hasRemaining()) {
            int count = channel.read(target, position + total);
            if (count < 0) {
                break;
            }
            total += count;
        }
        return total;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            at += channel.write(source, at);
        }
    }

    @Override
    public void force() throws IOException {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw new ForceFailedException(name, e);
        }
    }

    @Override
    public void resize(long size) throws IOException {
        long now = channel.size();
        if (size < now) {
            channel.truncate(size);
        } else if (size > now) {
            write(ONE_ZERO.duplicate(), size - 1);
        }
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public ByteBuffer map(long position, int sizeBytes) throws IOException {
        if (position + sizeBytes > channel.size()) {
            throw new IOException(
                    "cannot map " + name + " up to " + (position + sizeBytes) + ", it ends at " + channel.size());
        }
        return channel.map(FileChannel.MapMode.READ_ONLY, position, sizeBytes);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
