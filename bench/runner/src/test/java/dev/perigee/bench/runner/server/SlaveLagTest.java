package dev.perigee.bench.runner.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class SlaveLagTest {
    private static String slave(long lagMs) {
        return "{\"brokerId\":1,\"diff\":7,\"lagMs\":" + lagMs + "}";
    }

    private static String status(String... slaves) {
        return "{\"master\":true,\"haConnectionInfo\":[" + String.join(",", slaves) + "]}";
    }

    /** Answers one question after the other over one connection. */
    private static void answer(ServerSocket server, String... bodies) {
        try (Socket socket = server.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] header = "{\"code\":0,\"flag\":1,\"opaque\":1}".getBytes(StandardCharsets.UTF_8);
            for (String text : bodies) {
                in.readNBytes(in.readInt());
                byte[] body = text.getBytes(StandardCharsets.UTF_8);
                out.writeInt(Integer.BYTES + header.length + body.length);
                out.writeInt(header.length);
                out.write(header);
                out.write(body);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theOnlySlaveIsAskedForAgainAndAgainOverOneConnection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> answer(
                    server, status(slave(12)), status(slave(0)), status(), status(slave(1), slave(2)), "no status"));
            try (SlaveLag lag = SlaveLag.of("127.0.0.1:" + server.getLocalPort())) {
                assertThat(lag.lagMs()).isEqualTo(12);
                assertThat(lag.lagMs()).isZero();
                assertThatThrownBy(lag::lagMs).isInstanceOf(IOException.class).hasMessageContaining("not one slave");
                assertThatThrownBy(lag::lagMs).isInstanceOf(IOException.class).hasMessageContaining("not one slave");
                assertThatThrownBy(lag::lagMs).isInstanceOf(IOException.class).hasMessageContaining("no status");
            }
            served.join();
        }
    }
}
