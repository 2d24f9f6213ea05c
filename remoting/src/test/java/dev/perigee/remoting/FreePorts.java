package dev.perigee.remoting;

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
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Ports of this machine for tests that have to know one before it is bound; where that is not so, port 0 is better. A port is given out
 * once: no other test gets it before this JVM ends, in whatever process it asks, and it lies below those that the system gives to
 * connections.
 */
public final class FreePorts {
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 32_000;
    private static final int TRIES = 1_000;

    /** The byte at the place of a port is locked by the process that has it. */
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

    /** A port nobody listens on. */
    public static int one() {
        return free(0);
    }

    /** A listen port for a broker: the second port, two below, is free too, and so is that of replication, one above. */
    public static int forBroker() {
        return free(-2, 0, 1);
    }

    /** The listen port of the first of so many brokers whose ports are so far apart, each as {@link #forBroker}. */
    public static int forBrokers(int brokers, int step) {
        return free(IntStream.range(0, brokers)
                .map(broker -> broker * step)
                .flatMap(first -> IntStream.of(first - 2, first, first + 1))
                .toArray());
    }

    private static int free(int... offsets) {
        for (int tries = 0; tries < TRIES; tries++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (Arrays.stream(offsets).allMatch(offset -> isFree(port + offset) && isOurs(port + offset))) {
                return port;
            }
        }
        throw new IllegalStateException("no free ports of " + TRIES + " tried");
    }

    /** Whether nobody listens there now. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
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
