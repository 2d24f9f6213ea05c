package dev.perigee.bench.consensus;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports that nobody listens at. */
public final class FreePorts {
    private FreePorts() {}

    /** The first of three that follow each other. */
    public static int three() {
        int first;
        do {
            first = ThreadLocalRandom.current().nextInt(20_000, 30_000);
        } while (!isFree(first) || !isFree(first + 1) || !isFree(first + 2));
        return first;
    }

    private static boolean isFree(int port) {
        try {
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
