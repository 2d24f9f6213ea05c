package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** All links together hold a limited part of frames that do not come to their end. */
final class UnfinishedFramesTest {
    private static final long LIMIT_BYTES = 8L << 20;
    private static final int MIB = 1 << 20;

    private final AtomicLong nowMs = new AtomicLong(1_000_000);
    private final UnfinishedFrames frames =
            new UnfinishedFrames(LIMIT_BYTES, () -> TimeUnit.MILLISECONDS.toNanos(nowMs.get()));

    @Test
    void belowTheLimitNobodyIsGivenUpHoweverSlow() {
        Part slow = new Part(4 * MIB);
        nowMs.addAndGet(1_000_000);
        Part other = new Part(4 * MIB);

        assertThat(slow.reasons).isEmpty();
        assertThat(other.reasons).isEmpty();
    }

    @Test
    void theOldestSlowFramesGiveWayUntilAnEighthIsFree() {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            parts.add(new Part(MIB));
            nowMs.addAndGet(1_000);
        }
        nowMs.addAndGet(SlowestFirst.SLOW_MS - 3_000); // the first six are slow now
        Part fresh = new Part(MIB / 2);

        assertThat(parts.subList(0, 2))
                .allSatisfy(part -> assertThat(part.reasons)
                        .singleElement()
                        .asString()
                        .contains("limit " + LIMIT_BYTES, "under way for"));
        assertThat(parts.subList(2, 8))
                .allSatisfy(part -> assertThat(part.reasons).isEmpty());
        assertThat(fresh.reasons).isEmpty();
    }

    @Test
    void whereAllFramesComeAtAUsualPaceTheNewestGivesWay() {
        Part first = new Part(8 * MIB);
        nowMs.addAndGet(SlowestFirst.SLOW_MS - 1);
        Part fresh = new Part(MIB);

        assertThat(first.reasons).isEmpty();
        assertThat(fresh.reasons).singleElement().asString().contains("limit " + LIMIT_BYTES);
    }

    @Test
    void aLinkThatHoldsOneReadIsNotGivenUpForOthers() {
        Part first = new Part(8 * MIB);
        Part small = new Part(UnfinishedFrames.FREE_BYTES);

        assertThat(first.reasons).isEmpty();
        assertThat(small.reasons).isEmpty();
    }

    @Test
    void halfFramesOfManySocketsTakeNoMoreThanTheLimitAndLaterFramesAreServed() throws Exception {
        AtomicInteger served = new AtomicInteger();
        Queue<String> closed = new ConcurrentLinkedQueue<>();
        try (EventLoops loops = EventLoops.start("halves", 2, Sockets.best(), LIMIT_BYTES)) {
            Transport.OpenPort port = loops.bind(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new LinkOptions(4 * MIB, MIB, 3_000, TlsConfig.OFF),
                    () -> new Counting(served, closed));
            List<Socket> halves = new ArrayList<>();
            try {
                for (int i = 0; i < 20; i++) {
                    Socket socket = new Socket(
                            InetAddress.getLoopbackAddress(), port.address().getPort());
                    halves.add(socket);
                    sendHalf(socket);
                }
            } finally {
                await().atMost(ONE_MINUTE).until(() -> closed.size() >= 12);
                assertThat(closed).allSatisfy(reason -> assertThat(reason).contains("limit " + LIMIT_BYTES));
                for (Socket socket : halves) {
                    socket.close();
                }
            }
            await().atMost(ONE_MINUTE).until(() -> closed.size() == 20);
            try (Socket socket =
                    new Socket(InetAddress.getLoopbackAddress(), port.address().getPort())) {
                socket.getOutputStream()
                        .write(ByteBuffer.allocate(4 + 4 * MIB).putInt(4 * MIB).array());
                await().atMost(ONE_MINUTE).until(() -> served.get() == 1);
            }
        }
    }

    private static void sendHalf(Socket socket) throws IOException {
        try {
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(MIB).putInt(4 * MIB).array());
        } catch (SocketException e) {
            assertThat(e).as("given up while it sent").hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
        }
    }

    /** A part of a frame that has just come. */
    private final class Part implements UnfinishedFrames.Holder {
        private final int sizeBytes;
        private final long begunNs = frames.nowNs();
        private final List<String> reasons = new ArrayList<>();

        Part(int sizeBytes) {
            this.sizeBytes = sizeBytes;
            frames.joins(this);
            frames.changed(this, sizeBytes);
        }

        @Override
        public long heldBytes() {
            return sizeBytes;
        }

        @Override
        public long begunNs() {
            return begunNs;
        }

        @Override
        public void giveUp(String reason) {
            reasons.add(reason);
        }
    }

    /** Counts frames of a length and as many bytes, and why links end. */
    private record Counting(AtomicInteger served, Queue<String> closed) implements LinkEvents {
        @Override
        public void opened(Link link) {}

        @Override
        public int received(ByteBuffer bytes) {
            if (bytes.remaining() < 4) {
                return 4;
            }
            int wanted = 4 + bytes.getInt(bytes.position());
            if (bytes.remaining() >= wanted) {
                bytes.position(bytes.position() + wanted);
                served.incrementAndGet();
            }
            return wanted;
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
