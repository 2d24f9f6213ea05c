package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Payload;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import io.netty.channel.epoll.Epoll;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class EventLoopsTest {
    private static final LinkOptions OPTIONS = new LinkOptions(1 << 20, 1 << 18, 3_000, TlsConfig.OFF);

    static Stream<Sockets> sockets() {
        return Stream.of(Sockets.nio(), Sockets.best());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 1", "4, 2", "64, 32"})
    void twoCoresShareALoop(int cores, int loops) {
        assertThat(EventLoops.loopsFor(cores)).isEqualTo(loops);
    }

    @ParameterizedTest
    @MethodSource("sockets")
    void bytesGoBothWaysOverEveryKindOfSockets(Sockets sockets) throws Exception {
        try (EventLoops loops = EventLoops.start("kind", 2, sockets)) {
            Recorder near = new Recorder();
            Transport.OpenPort port =
                    loops.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), OPTIONS, Echoing::new);

            loops.connect(port.address(), OPTIONS, near, near.failed::complete);
            Link link = near.opened.get(60, TimeUnit.SECONDS);
            byte[] head = "head ".getBytes(StandardCharsets.UTF_8);
            link.loop().execute(() -> {
                link.write(head, head.length, Payload.of("body".getBytes(StandardCharsets.UTF_8)));
                link.flush();
            });

            await().atMost(ONE_MINUTE).until(() -> near.text().equals("head body"));
            link.close();
            assertThat(near.closed.poll(60, TimeUnit.SECONDS)).isNotNull();
            port.close();
        }
    }

    @Test
    void epollIsTakenWhereItIsThereAndNioWhereItIsAskedFor() {
        assertThat(Sockets.best().name()).isEqualTo(Epoll.isAvailable() ? "epoll" : "nio");
        System.setProperty(Sockets.FORCE_NIO_PROPERTY, "true");
        try {
            assertThat(Sockets.best().name()).isEqualTo("nio");
        } finally {
            System.clearProperty(Sockets.FORCE_NIO_PROPERTY);
        }
    }

    /** Whether it is there is the library's word otherwise; here it must be, or the fallback would hide that its library is missing. */
    @Test
    @EnabledOnOs(
            value = OS.LINUX,
            architectures = {"amd64", "x86_64"})
    void epollIsThereOnLinux() {
        assertThat(Epoll.unavailabilityCause()).isNull();
        assertThat(Sockets.best().name()).isEqualTo("epoll");
    }

    @Test
    void tasksRunOnTheirOwnNumberedLoop() throws Exception {
        try (EventLoops loops = EventLoops.start("numbered", 2)) {
            for (int i = 0; i < loops.loopCount(); i++) {
                LoopExecutor loop = loops.loop(i);
                CompletableFuture<String> ranOn = new CompletableFuture<>();
                loop.execute(() -> ranOn.complete(Thread.currentThread().getName() + " " + loop.inLoop()));
                assertThat(loop.index()).isEqualTo(i);
                assertThat(loop.inLoop()).isFalse();
                assertThat(ranOn.get(60, TimeUnit.SECONDS)).isEqualTo("numbered-" + i + " true");
            }
        }
    }

    @Test
    void aPeriodicTaskGoesOnAfterAFailureAndStopsWhenCancelled() {
        try (EventLoops loops = EventLoops.start("periodic", 1)) {
            AtomicInteger runs = new AtomicInteger();
            LoopExecutor.Scheduled task = loops.loop(0).every(1, () -> {
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("on purpose");
                }
            });
            await().atMost(ONE_MINUTE).until(() -> runs.get() > 3);
            task.cancel();
            CompletableFuture<Integer> atCancel = new CompletableFuture<>();
            loops.loop(0).execute(() -> atCancel.complete(runs.get()));
            assertThat(atCancel.join()).isEqualTo(runs.get());
        }
    }

    @Test
    void aHostNameIsLookedUpAndAnUnknownOneIsAFailure() throws Exception {
        try (EventLoops loops = EventLoops.start("names", 1)) {
            Transport.OpenPort port =
                    loops.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), OPTIONS, Echoing::new);
            Recorder known = new Recorder();
            Recorder unknown = new Recorder();

            loops.connect(
                    InetSocketAddress.createUnresolved(
                            "localhost", port.address().getPort()),
                    OPTIONS,
                    known,
                    known.failed::complete);
            loops.connect(
                    InetSocketAddress.createUnresolved("no-such-host.invalid", 1),
                    OPTIONS,
                    unknown,
                    unknown.failed::complete);

            assertThat(known.opened.get(60, TimeUnit.SECONDS)).isNotNull();
            assertThat(unknown.failed.get(60, TimeUnit.SECONDS)).isInstanceOf(UnknownHostException.class);
        }
    }

    /** Sends back what comes. */
    private static final class Echoing extends Recorder {
        @Override
        public int received(ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            opened.join().write(copy, copy.length, null);
            return 1;
        }

        @Override
        public void burstEnded() {
            opened.join().flush();
        }
    }

    private static class Recorder implements LinkEvents {
        final CompletableFuture<Link> opened = new CompletableFuture<>();
        final CompletableFuture<Throwable> failed = new CompletableFuture<>();
        final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
        private final Queue<String> pieces = new ConcurrentLinkedQueue<>();

        String text() {
            return String.join("", pieces);
        }

        @Override
        public void opened(Link link) {
            opened.complete(link);
        }

        @Override
        public int received(ByteBuffer bytes) {
            pieces.add(StandardCharsets.UTF_8.decode(bytes).toString());
            return 1;
        }

        @Override
        public void burstEnded() {}

        @Override
        public void writableAgain() {}

        @Override
        public void closed(String reason) {
            closed.add(reason);
        }
    }
}
