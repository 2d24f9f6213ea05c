package dev.perigee.store.disk;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk in memory that loses power on {@link #crash()}: every sector written since the last successful force survives
 * or not by chance, on its own, possibly torn in the middle; names that were created, renamed or deleted since the last
 * folder sync survive or not by chance. Can also fill up and fail forces. Single-threaded, driven by one seeded random.
 */
@OwnedBy("the test")
public final class CrashingDisk implements Disk {
    private static final long TOTAL_BYTES = 1L << 40;

    private final Random random;
    private TreeMap<String, MemoryFile> names = new TreeMap<>();
    private TreeMap<String, MemoryFile> durableNames = new TreeMap<>();
    private final TreeSet<String> locked = new TreeSet<>();
    private long freeBytes = TOTAL_BYTES / 2;
    private boolean logTakesRoom;
    private int powerCycles;
    private boolean tearSectors = true;
    private int failingForces;
    private int failingWrites;
    private final TreeSet<String> undeletable = new TreeSet<>();
    private int forces;

    public CrashingDisk(Random random) {
        this.random = random;
    }

    /** Cuts the power: open files become unusable and unsynced changes survive by chance. */
    public void crash() {
        powerCycles++;
        TreeMap<String, MemoryFile> survivors = new TreeMap<>(durableNames);
        TreeSet<String> changed = new TreeSet<>(names.keySet());
        changed.addAll(durableNames.keySet());
        for (String name : changed) {
            MemoryFile now = names.get(name);
            if (now != durableNames.get(name) && random.nextBoolean()) {
                if (now == null) {
                    survivors.remove(name);
                } else {
                    survivors.put(name, now);
                }
            }
        }
        Map<MemoryFile, MemoryFile> reborn = new HashMap<>();
        survivors.replaceAll(
                (name, file) -> reborn.computeIfAbsent(file, lost -> lost.afterPowerLoss(this, random, tearSectors)));
        names = survivors;
        durableNames = new TreeMap<>(survivors);
        locked.clear();
        failingForces = 0;
    }

    /** Kills the process but not the machine: what was written is there, but not more durable than before. */
    public void kill() {
        powerCycles++;
        Map<MemoryFile, MemoryFile> reborn = new HashMap<>();
        names.replaceAll((name, file) -> reborn.computeIfAbsent(file, old -> old.afterKill(this)));
        durableNames.replaceAll((name, file) -> reborn.computeIfAbsent(file, old -> old.afterKill(this)));
        locked.clear();
        failingForces = 0;
    }

    /** Whether sectors may be torn in the middle; true at first. */
    public void tearSectors(boolean tear) {
        tearSectors = tear;
    }

    /** The next forces fail, and as on Linux their pages count as clean afterwards although they are not on the disk. */
    public void failForces(int count) {
        failingForces = count;
    }

    /** The next writes fail, before they change anything. */
    public void failWrites(int count) {
        failingWrites = count;
    }

    /** From now on a file of this name cannot be deleted, or can again. */
    public void refuseToDelete(String name, boolean refuse) {
        if (refuse) {
            undeletable.add(name);
        } else {
            undeletable.remove(name);
        }
    }

    public void freeBytes(long bytes) {
        freeBytes = bytes;
    }

    /**
     * Nothing is free, and from now on what is written to the log takes room, though its files were made as long as they are; the reserve
     * beside it gives room back when it goes. Without this only files that get longer find the disk full.
     */
    public void fillUp() {
        freeBytes = 0;
        logTakesRoom = true;
    }

    /** How many forces of files succeeded so far. */
    public int forces() {
        return forces;
    }

    /** Changes one byte of a file, durably, as a rotten disk would. */
    public void flip(String name, long position, int mask) throws IOException {
        file(name).flip(position, mask);
    }

    /** Everything a file holds now. */
    public byte[] content(String name) throws IOException {
        return file(name).content();
    }

    /** Replaces what a file holds, durably; creates it when missing. */
    public void put(String name, byte[] content) {
        MemoryFile file = new MemoryFile(this, name);
        file.put(content);
        names.put(name, file);
        durableNames.put(name, file);
    }

    /** Gets a copy of every file of another one, durably. */
    public void putAll(CrashingDisk other) throws IOException {
        for (String name : other.names.keySet()) {
            put(name, other.content(name));
        }
    }

    int powerCycles() {
        return powerCycles;
    }

    void forced() throws IOException {
        if (failingForces > 0) {
            failingForces--;
            throw new ForceFailedException("a file", new IOException("injected: force failed"));
        }
        forces++;
    }

    /** Room for a write to a file, by which it gets that much longer. */
    void claim(String name, long writtenBytes, long grownBytes) throws IOException {
        long bytes = logTakesRoom && name.startsWith("commitlog/") ? writtenBytes : grownBytes;
        if (failingWrites > 0) {
            failingWrites--;
            throw new IOException("injected: write failed");
        }
        if (bytes > freeBytes) {
            throw new IOException("No space left on device");
        }
        freeBytes -= bytes;
    }

    @Override
    public DiskFile open(String name) {
        return new OpenFile(this, names.computeIfAbsent(name, n -> new MemoryFile(this, n)), name, true);
    }

    @Override
    public DiskFile openRead(String name) throws IOException {
        return new OpenFile(this, file(name), name, false);
    }

    private MemoryFile file(String name) throws NoSuchFileException {
        MemoryFile file = names.get(name);
        if (file == null) {
            throw new NoSuchFileException(name);
        }
        return file;
    }

    @Override
    public boolean exists(String name) {
        String first = names.ceilingKey(name + "/"); // a folder is there when something is in it
        return names.containsKey(name) || (first != null && first.startsWith(name + "/"));
    }

    @Override
    public List<String> list(String folder) {
        String prefix = folder.isEmpty() ? "" : folder + "/";
        TreeSet<String> children = new TreeSet<>();
        for (String name : names.keySet()) {
            if (name.startsWith(prefix)) {
                String rest = name.substring(prefix.length());
                int slash = rest.indexOf('/');
                children.add(slash < 0 ? rest : rest.substring(0, slash));
            }
        }
        return new ArrayList<>(children);
    }

    @Override
    public void makeFolder(String folder) {
        // Folders exist as parts of names.
    }

    @Override
    public void rename(String from, String to) throws IOException {
        names.put(to, file(from));
        names.remove(from);
    }

    @Override
    public void delete(String name) throws IOException {
        if (undeletable.contains(name)) {
            throw new IOException("injected: " + name + " cannot be deleted");
        }
        MemoryFile gone = names.remove(name);
        if (logTakesRoom && gone != null && name.equals(Ballast.FILE)) {
            freeBytes += gone.size();
        }
    }

    @Override
    public void syncFolder(String folder) throws IOException {
        forced();
        String prefix = folder.isEmpty() ? "" : folder + "/";
        durableNames.keySet().removeIf(name -> isChild(name, prefix));
        names.forEach((name, file) -> {
            if (isChild(name, prefix)) {
                durableNames.put(name, file);
            }
        });
    }

    private static boolean isChild(String name, String prefix) {
        return name.startsWith(prefix) && name.indexOf('/', prefix.length()) < 0;
    }

    @Override
    public long freeBytes() {
        return freeBytes;
    }

    @Override
    public long totalBytes() {
        return TOTAL_BYTES;
    }

    @Override
    public DiskLock lock(String name) throws IOException {
        if (!locked.add(name)) {
            throw new IOException(name + " is locked");
        }
        return () -> locked.remove(name);
    }
}
