package dev.perigee.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Finds ports nobody listens on, below the range from which the system takes ports for outgoing connections. A port is given out once: until
 * this JVM ends no other call gets it, in whatever process of the tests, for nobody listens on it until a process has come up.
 */
public final class FreePorts {
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 32_000;
    private static final int TRIES = 1_000;
    private static final Random RANDOM = new Random();

    /** The byte at the place of a port is locked by the process that has it; the tests of our modules keep to the same file. */
    private static final FileChannel GIVEN_OUT = open();

    private FreePorts() {}

    private static FileChannel open() {
        try {
            return FileChannel.open(
                    Path.of(System.getProperty("java.io.tmpdir"), "perigee-test-ports"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One free port. */
    public static int one() {
        return free(0);
    }

    /** A listen port for a broker: it also takes the port two below (its fast port) and the one above (replication). */
    public static int forBroker() {
        return free(-2, 0, 1);
    }

    private static int free(int... offsets) {
        for (int tries = 0; tries < TRIES; tries++) {
            int port = LOWEST + RANDOM.nextInt(HIGHEST - LOWEST);
            if (Arrays.stream(offsets).allMatch(offset -> isFree(port + offset) && isOurs(port + offset))) {
                return port;
            }
        }
        throw new IllegalStateException(
                "no free ports " + IntStream.of(offsets).boxed().toList());
    }

    private static boolean isFree(int port) {
        try (ServerSocket onAll = new ServerSocket(port);
                ServerSocket none = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return onAll.isBound() && none.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** The lock lives until this JVM ends. */
    private static boolean isOurs(int port) {
        try {
            FileLock lock = GIVEN_OUT.tryLock(port, 1, false);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
