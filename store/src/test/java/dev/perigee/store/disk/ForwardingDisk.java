package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.util.List;

/** Passes everything on; a test overrides what is to go wrong. */
@OwnedBy("the test")
public class ForwardingDisk implements Disk {
    private final Disk disk;

    public ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return disk.open(name);
    }

    @Override
    public DiskFile openRead(String name) throws IOException {
        return disk.openRead(name);
    }

    @Override
    public boolean exists(String name) throws IOException {
        return disk.exists(name);
    }

    @Override
    public List<String> list(String folder) throws IOException {
        return disk.list(folder);
    }

    @Override
    public void makeFolder(String folder) throws IOException {
        disk.makeFolder(folder);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
    }

    @Override
    public void syncFolder(String folder) throws IOException {
        disk.syncFolder(folder);
    }

    @Override
    public long freeBytes() throws IOException {
        return disk.freeBytes();
    }

    @Override
    public long totalBytes() throws IOException {
        return disk.totalBytes();
    }

    @Override
    public DiskLock lock(String name) throws IOException {
        return disk.lock(name);
    }
}
