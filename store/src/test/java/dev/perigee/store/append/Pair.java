package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.append.SwitchedReplication.Role;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DyingDisk;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;

/** A writer and a replica over two disks in memory, with the stream between them. */
@OwnedBy("the test")
final class Pair {
    final HandClock clock = new HandClock();
    final Random random;
    final CrashingDisk writerDisk;
    final CrashingDisk replicaDisk;
    final DyingDisk dying;
    final LogRig writer;
    final Stream stream;
    LogRig replica;
    /** That of the replica that is open now. */
    SwitchedReplication replication = new SwitchedReplication(Role.RECEIVES);

    private long confirmedAtStart = Long.MAX_VALUE;
    private int sent;

    Pair(int seed) throws IOException {
        this(seed, FlushMode.SYNC, LogRig.SEGMENT_BYTES);
    }

    Pair(int seed, FlushMode replicaMode, int replicaSegmentBytes) throws IOException {
        random = new Random(seed);
        writerDisk = new CrashingDisk(new Random(seed + 1));
        replicaDisk = new CrashingDisk(new Random(seed + 2));
        dying = new DyingDisk(replicaDisk);
        writer = new LogRig(writerDisk, clock, new Random(seed + 3), FlushMode.SYNC);
        LogLoopConfig config = LogRig.config(replicaMode, 64, 256 * 1024).forSegmentsOf(replicaSegmentBytes);
        replica = new LogRig(dying, clock, new Random(seed + 4), config, this::replication);
        stream = new Stream(writerDisk, LogRig.SEGMENT_BYTES);
    }

    private SwitchedReplication replication() {
        replication = new SwitchedReplication(Role.RECEIVES);
        replication.confirmLimit(confirmedAtStart);
        return replication;
    }

    /** The next opening of the replica knows of no more than this as confirmed. */
    void confirmedAtStart(long offset) {
        confirmedAtStart = offset;
    }

    /** Some units of one and of several frames, flushed. */
    void write(int units) {
        write(units, 16);
    }

    /** The same, of which so many are flushed together. */
    void write(int units, int flushedTogether) {
        for (int i = 0; i < units; i++) {
            String[] bodies = new String[random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 1];
            for (int j = 0; j < bodies.length; j++) {
                bodies[j] = sent++ + ":" + "x".repeat(random.nextInt(random.nextInt(5) == 0 ? 6_000 : 400));
            }
            writer.send("topic" + random.nextInt(2), random.nextInt(3), bodies);
            if (i % flushedTogether == flushedTogether - 1) {
                writer.settle();
            }
        }
        writer.settle();
    }

    long writerEnd() {
        return writer.log().endOffset();
    }

    long replicaEnd() {
        return replica.log().endOffset();
    }

    /** Sends the replica all it has not, and waits until it is through. */
    void carryAll() throws IOException {
        stream.carry(replica, replicaEnd(), writerEnd(), random);
    }

    /** How the folders of both logs differ; empty when they do not. A file that is only prepared counts as one that is not there. */
    String difference() throws IOException {
        TreeSet<String> names = new TreeSet<>(writerDisk.list("commitlog"));
        names.addAll(replicaDisk.list("commitlog"));
        StringBuilder differences = new StringBuilder();
        for (String name : names) {
            byte[] written = content(writerDisk, "commitlog/" + name);
            byte[] received = content(replicaDisk, "commitlog/" + name);
            int at = Arrays.mismatch(written, received);
            if (at >= 0 && !(isZero(written) && isZero(received))) {
                differences.append(name).append(" at ").append(at).append("; ");
            }
        }
        return differences.toString();
    }

    private static byte[] content(CrashingDisk disk, String name) throws IOException {
        return disk.exists(name) ? disk.content(name) : new byte[0];
    }

    private static boolean isZero(byte[] bytes) {
        for (byte each : bytes) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }
}
