package dev.perigee.store.retention;

import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A disk of which the space and the files can refuse to be read, and that tells which queue files a view opens. */
final class RetentionDisk extends ForwardingDisk {
    private final BooleanSupplier applying;
    final List<String> readWhileApplying = new ArrayList<>();
    boolean failSpace;
    boolean failReads;

    /** @param applying whether the view loop is at work */
    RetentionDisk(Disk disk, BooleanSupplier applying) {
        super(disk);
        this.applying = applying;
    }

    @Override
    public long freeBytes() throws IOException {
        if (failSpace) {
            throw new IOException("injected: no answer about free space");
        }
        return super.freeBytes();
    }

    @Override
    public DiskFile openRead(String name) throws IOException {
        if (applying.getAsBoolean() && name.startsWith("consumequeue/")) {
            readWhileApplying.add(name);
        }
        return new ForwardingFile(super.openRead(name)) {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                if (failReads) {
                    throw new IOException("injected: " + name + " cannot be read");
                }
                return super.read(target, position);
            }
        };
    }
}
