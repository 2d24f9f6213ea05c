package dev.perigee.bench.runner.server;

import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits until a server of ours listens on loopback. */
final class Ports {
    private static final Duration READY = Duration.ofSeconds(60);
    private static final int CONNECT_MS = 200;
    private static final int LOOK_MS = 20;

    private Ports() {}

    /**
     * Blocks until something listens.
     *
     * @throws IllegalStateException when the process ends first, or nothing listens after 60 s; with what it wrote
     */
    static void await(int port, JavaProcess process) {
        long deadlineNs = System.nanoTime() + READY.toNanos();
        while (!listens(port)) {
            if (!process.isAlive() || System.nanoTime() > deadlineNs) {
                throw new IllegalStateException(
                        process + " does not listen on port " + port + "\n" + process.stdout() + process.stderr());
            }
            pause();
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a server", e);
        }
    }
}
