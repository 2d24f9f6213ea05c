package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Answers that nobody takes hold a limited part of the memory, whoever asked for them. */
final class UnsentBytesTest {
    private static final long LIMIT_BYTES = 8L << 20;
    private static final int MIB = 1 << 20;

    private final AtomicLong nowMs = new AtomicLong(1_000_000);
    private final UnsentBytes unsent = new UnsentBytes(LIMIT_BYTES, () -> TimeUnit.MILLISECONDS.toNanos(nowMs.get()));

    @Test
    void belowTheLimitNobodyIsGivenUpHoweverSlow() {
        Reader slow = new Reader();
        slow.gets(4 * MIB);
        nowMs.addAndGet(1_000_000);
        Reader other = new Reader();
        other.gets(4 * MIB);
        assertThat(slow.reasons).isEmpty();
        assertThat(other.reasons).isEmpty();
    }

    @Test
    void theSlowestGiveWayUntilAnEighthIsFree() {
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Reader reader = new Reader();
            reader.gets(MIB);
            readers.add(reader);
            nowMs.addAndGet(1_000);
        }
        nowMs.addAndGet(SlowestFirst.SLOW_MS - 3_000); // the first six are slow now
        Reader fresh = new Reader();
        fresh.gets(MIB / 2);
        assertThat(readers.subList(0, 2))
                .allSatisfy(reader -> assertThat(reader.reasons)
                        .singleElement()
                        .asString()
                        .contains("limit " + LIMIT_BYTES, "has not taken its own for"));
        assertThat(readers.subList(2, 8))
                .allSatisfy(reader -> assertThat(reader.reasons).isEmpty());
        assertThat(fresh.reasons).isEmpty();
        readers.subList(0, 2).forEach(reader -> reader.share.ended());
        assertThat(unsent.countedBytes()).isEqualTo(6 * MIB + MIB / 2);
    }

    @Test
    void thoseThatWereGivenUpAndHaveNotEndedHoldAsMuchAgainAtMost() {
        Reader slow = new Reader();
        slow.gets(8 * MIB);
        nowMs.addAndGet(SlowestFirst.SLOW_MS);
        List<Reader> fresh = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            fresh.add(new Reader());
            fresh.get(i).gets(MIB);
        }
        assertThat(slow.reasons).hasSize(1);
        assertThat(fresh.subList(0, 8))
                .allSatisfy(reader -> assertThat(reader.reasons).isEmpty());
        assertThat(fresh.get(8).reasons).singleElement().asString().contains("no slower ones free enough");
        slow.share.ended();
        fresh.get(8).share.ended();
        assertThat(unsent.countedBytes()).isEqualTo(8 * MIB);
    }

    @Test
    void whereNobodyIsSlowWhoeverIsToGetMoreGivesWay() {
        Reader first = new Reader();
        first.gets(8 * MIB);
        nowMs.addAndGet(SlowestFirst.SLOW_MS - 1);
        Reader fresh = new Reader();
        fresh.gets(MIB);
        assertThat(first.reasons).isEmpty();
        assertThat(fresh.reasons).singleElement().asString().contains("limit " + LIMIT_BYTES);
    }

    @Test
    void whoHasLittleWaitingIsNotGivenUpForOthers() {
        Reader first = new Reader();
        first.gets(8 * MIB);
        Reader small = new Reader();
        small.gets(UnsentBytes.FREE_BYTES);
        assertThat(first.reasons).isEmpty();
        assertThat(small.reasons).isEmpty();
    }

    @Test
    void whatWasTakenSinceTheLastCountIsNobodysBurden() {
        Reader taken = new Reader();
        taken.gets(8 * MIB);
        taken.queued = 0; // the socket emptied it, which nobody is told
        nowMs.addAndGet(SlowestFirst.SLOW_MS);
        Reader fresh = new Reader();
        fresh.gets(MIB);
        assertThat(taken.reasons).isEmpty();
        assertThat(fresh.reasons).isEmpty();
        assertThat(unsent.countedBytes()).isEqualTo(MIB);
    }

    @Test
    void whoTakesItsAnswersIsServedWhileOthersLeaveTheirsLying() throws Exception {
        Queue<String> closed = new ConcurrentLinkedQueue<>();
        AtomicInteger opened = new AtomicInteger();
        try (EventLoops loops = EventLoops.start("unsent", 2, Sockets.best(), LIMIT_BYTES)) {
            Transport.OpenPort port = loops.bind(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new LinkOptions(64 * MIB, 32 * MIB, 3_000, TlsConfig.OFF),
                    () -> new Pouring(opened.getAndIncrement() < 4 ? 32 : 4, closed));
            List<Socket> deaf = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    deaf.add(new Socket(
                            InetAddress.getLoopbackAddress(), port.address().getPort()));
                }
                await().atMost(ONE_MINUTE).until(() -> closed.size() == 4);
                assertThat(closed).allSatisfy(reason -> assertThat(reason).contains("limit " + LIMIT_BYTES));
                try (Socket reading = new Socket(
                        InetAddress.getLoopbackAddress(), port.address().getPort())) {
                    InputStream in = reading.getInputStream();
                    assertThat(in.readNBytes(4 * MIB)).hasSize(4 * MIB);
                }
            } finally {
                for (Socket socket : deaf) {
                    socket.close();
                }
            }
        }
    }

    /** A link with something queued. */
    private final class Reader {
        private final List<String> reasons = new ArrayList<>();
        private final UnsentBytes.Share share = unsent.share(() -> this.queued, reasons::add);
        private long queued;

        void gets(long bytes) {
            boolean wasEmpty = queued == 0;
            queued += bytes;
            share.flushed(wasEmpty);
        }
    }

    /** Sends far more than the sockets of both sides hold to whoever connects, a MiB every time it is asked. */
    private record Pouring(int pieces, Queue<String> closed) implements LinkEvents {
        @Override
        public void opened(Link link) {
            pour(link, pieces);
        }

        private static void pour(Link link, int left) {
            link.write(new byte[MIB], MIB, null);
            link.flush();
            if (left > 1) {
                link.loop().execute(() -> pour(link, left - 1));
            }
        }

        @Override
        public int received(ByteBuffer bytes) {
            bytes.position(bytes.limit());
            return 0;
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
