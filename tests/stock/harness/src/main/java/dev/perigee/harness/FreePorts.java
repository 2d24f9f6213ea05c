package dev.perigee.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/** Finds ports nobody listens on, below the range from which the system takes ports for outgoing connections. */
public final class FreePorts {
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 32_000;
    private static final int TRIES = 200;
    private static final Random RANDOM = new Random();

    private FreePorts() {}

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
            if (Arrays.stream(offsets).allMatch(offset -> isFree(port + offset))) {
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
}
