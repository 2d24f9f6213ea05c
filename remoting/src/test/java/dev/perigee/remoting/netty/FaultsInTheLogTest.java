package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.remoting.ManualClock;
import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Below the frames, too, no peer can fill the log: neither without TLS where it is a must, nor with broken TLS. */
final class FaultsInTheLogTest {
    private static final int PEERS = FaultLog.MAX_LINES + 50;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final ManualClock clock = new ManualClock();
    private final FaultLog faults = new FaultLog("test_sockets", clock);

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("dev.perigee.remoting");
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger().addAppender(lines);
        logger().setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger().setAdditive(true);
        logger().detachAppender(lines);
    }

    private long linesWith(String text) {
        return lines.list.stream()
                .filter(line -> line.getFormattedMessage().contains(text))
                .count();
    }

    private void connectPlainly(ServerTls tls) {
        EmbeddedChannel channel = new EmbeddedChannel(new TlsSniffer(tls, TlsMode.ENFORCING, 1_000, faults));
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 1}));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void plainConnectionsToAnEnforcingPortAreLoggedWithinLimitsAndTheRestIsCounted() throws Exception {
        ServerTls tls = ServerTls.start(TlsConfig.throwAway(TlsMode.ENFORCING), Runnable::run, clock::monotonicNs);
        for (int i = 0; i < PEERS; i++) {
            connectPlainly(tls);
        }
        assertThat(linesWith("event=plain_connection_refused")).isEqualTo(FaultLog.MAX_LINES);
        assertThat(linesWith("event=faults_not_logged")).isZero();

        clock.advanceMs(FaultLog.PERIOD_MS);
        connectPlainly(tls);

        assertThat(linesWith("event=plain_connection_refused")).isEqualTo(FaultLog.MAX_LINES + 1);
        assertThat(linesWith("event=faults_not_logged source=test_sockets count=50 "))
                .isEqualTo(1);
    }

    @Test
    void brokenHandshakesAreLoggedWithinLimits() {
        for (int i = 0; i < PEERS; i++) {
            EmbeddedChannel channel = new EmbeddedChannel();
            channel.pipeline()
                    .addLast(new NettyLink(
                            channel,
                            new MemoryTransport(clock).loop(0),
                            new Silent(),
                            NettyLink.OpensWhen.TLS_AGREED,
                            cause -> {},
                            new NettyLink.Shared(faults, new UnfinishedFrames(1 << 20, System::nanoTime), null)));
            channel.pipeline().fireExceptionCaught(new DecoderException(new SSLException("no cipher in common")));
            assertThat(channel.isOpen()).isFalse();
        }
        assertThat(linesWith("event=tls_failed")).isEqualTo(FaultLog.MAX_LINES);
    }

    private static final class Silent implements LinkEvents {
        @Override
        public void opened(Link link) {}

        @Override
        public int received(ByteBuffer bytes) {
            return 0;
        }

        @Override
        public void burstEnded() {}

        @Override
        public void writableAgain() {}

        @Override
        public void closed(String reason) {}
    }
}
