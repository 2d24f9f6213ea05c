package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Every buffer goes back to its pool, seen by Netty's own detector at its strictest. */
final class NothingLeaksTest {
    private final ListAppender<ILoggingEvent> leaks = new ListAppender<>();
    private ResourceLeakDetector.Level before;

    @TempDir
    private Path folder;

    @BeforeEach
    void watch() {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        leaks.start();
        ((Logger) LoggerFactory.getLogger(ResourceLeakDetector.class)).addAppender(leaks);
    }

    @AfterEach
    void stopWatching() {
        ((Logger) LoggerFactory.getLogger(ResourceLeakDetector.class)).detachAppender(leaks);
        ResourceLeakDetector.setLevel(before);
    }

    @Test
    void noBufferIsLostInGoodAndBadTraffic() throws Exception {
        for (int round = 0; round < 3; round++) {
            traffic(round);
        }
        for (int i = 0; i < 20; i++) {
            System.gc();
            touch(PooledByteBufAllocator.DEFAULT);
        }
        assertThat(leaks.list).isEmpty();
    }

    private void traffic(int round) throws Exception {
        Network network = new Network();
        TestCertificate own = TestCertificate.in(folder, "own" + round);
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0)
                        .withTls(TlsConfig.server(TlsMode.PERMISSIVE, own.certificate(), own.key())),
                Echo.table().build());
        for (TlsConfig tls : new TlsConfig[] {TlsConfig.OFF, TlsConfig.clientTrustingAll()}) {
            RemotingClient client = network.client(ClientConfig.DEFAULT.withTls(tls));
            for (int size = 1; size < 1 << 20; size *= 4) {
                client.callBlocking(
                        Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", size), new byte[size], network.soon());
            }
        }
        hostile(server, round);
        network.close();
    }

    private static void hostile(RemotingServer server, int seed) throws Exception {
        byte[] frame = RawPeer.echoFrame(1, 513, HeaderSerialization.JSON, new byte[100_000]);
        for (int size = 1; size < frame.length; size = size * 3 + 1) {
            try (RawPeer peer = new RawPeer(server.boundPort())) {
                peer.send(Arrays.copyOf(frame, size));
            }
        }
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            for (int i = 0; i < 40; i++) {
                peer.send(frame); // never read: closed with answers queued
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
        }
        byte[] garbage = new byte[1_000];
        new Random(seed).nextBytes(garbage);
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            peer.send(garbage);
        }
    }

    /** The detector reports at the next allocation after the collector found a lost buffer. */
    private static void touch(ByteBufAllocator allocator) {
        for (int i = 0; i < 100; i++) {
            allocator.directBuffer(16).release();
        }
    }
}
