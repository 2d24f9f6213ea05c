package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Names whose lookup takes long. */
final class HostNamesTest {
    private static final String SLOW = "slow.example";

    private final CountDownLatch slowIsOver = new CountDownLatch(1);
    private final AtomicInteger lookups = new AtomicInteger();

    private HostNames names() {
        return new HostNames("names", host -> {
            lookups.incrementAndGet();
            try {
                if (host.endsWith(SLOW)) {
                    slowIsOver.await();
                    throw new UnknownHostException("nobody knows " + host);
                }
                return InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UnknownHostException("interrupted");
            }
        });
    }

    private static CompletableFuture<InetSocketAddress> resolve(HostNames names, String host, int port) {
        CompletableFuture<InetSocketAddress> result = new CompletableFuture<>();
        names.resolve(InetSocketAddress.createUnresolved(host, port), result::complete, result::completeExceptionally);
        return result;
    }

    @Test
    void aNameThatIsSlowToFailHoldsUpNoOtherHoweverOftenItIsAskedFor() throws Exception {
        try (HostNames names = names()) {
            var slow = IntStream.range(0, 100)
                    .mapToObj(port -> resolve(names, SLOW, port))
                    .toList();

            assertThat(resolve(names, "other.example", 7).get(1, TimeUnit.MINUTES))
                    .isEqualTo(new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), 7));
            assertThat(slow).noneMatch(CompletableFuture::isDone);

            slowIsOver.countDown();
            for (CompletableFuture<InetSocketAddress> each : slow) {
                assertThat(each.handle((found, failure) -> failure).get(1, TimeUnit.MINUTES))
                        .isInstanceOf(UnknownHostException.class)
                        .hasMessageContaining(SLOW);
            }
            assertThat(lookups).as("one for each name").hasValue(2);
            assertThat(resolve(names, "third.example", 7).get(1, TimeUnit.MINUTES))
                    .isNotNull();
        }
    }

    @Test
    void whoeverWaitsIsToldWhenTheLookupsEnd() throws Exception {
        List<CompletableFuture<InetSocketAddress>> waiting;
        try (HostNames names = names()) {
            waiting = IntStream.range(0, 10)
                    .mapToObj(number -> resolve(names, number + SLOW, 1))
                    .toList();
        }
        for (CompletableFuture<InetSocketAddress> each : waiting) {
            assertThat(each.handle((found, failure) -> failure).get(1, TimeUnit.MINUTES))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aLookupThatBreaksFailsAndTheNameCanBeAskedForAgain() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (HostNames names = new HostNames("names", host -> {
            if (tries.incrementAndGet() == 1) {
                throw new SecurityException("not allowed");
            }
            return InetAddress.getLoopbackAddress();
        })) {
            assertThat(resolve(names, SLOW, 1)
                            .handle((found, failure) -> failure)
                            .get(1, TimeUnit.MINUTES))
                    .isInstanceOf(SecurityException.class);
            assertThat(resolve(names, SLOW, 1).get(1, TimeUnit.MINUTES).getPort())
                    .isEqualTo(1);
        }
    }

    private static Throwable failureOf(HostNames names) throws Exception {
        return resolve(names, SLOW, 1).handle((found, failure) -> failure).get(1, TimeUnit.MINUTES);
    }

    @Test
    void anErrorOfALookupOrOfItsThreadFailsAndTheNameCanBeAskedForAgain() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        AtomicInteger tries = new AtomicInteger();
        try (HostNames names = new HostNames(
                task -> {
                    if (threads.incrementAndGet() == 1) {
                        throw new InternalError("no thread");
                    }
                    Thread thread = new Thread(task, "names");
                    thread.setDaemon(true);
                    return thread;
                },
                host -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new InternalError("no heap");
                    }
                    return InetAddress.getLoopbackAddress();
                })) {
            assertThat(failureOf(names)).hasMessage("no thread");
            assertThat(failureOf(names)).hasMessage("no heap");
            assertThat(failureOf(names)).isNull();
        }
    }

    @Test
    void aReceiverThatThrowsLeavesNobodyBehindItUntold() throws Exception {
        CountDownLatch allAsked = new CountDownLatch(1);
        try (HostNames names = new HostNames("names", host -> {
            try {
                allAsked.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return InetAddress.getLoopbackAddress();
        })) {
            names.resolve(
                    InetSocketAddress.createUnresolved(SLOW, 1),
                    found -> {
                        throw new AssertionError("a receiver that is broken");
                    },
                    failed -> {});
            var behind = resolve(names, SLOW, 2);
            allAsked.countDown();
            assertThat(behind.get(1, TimeUnit.MINUTES).getPort()).isEqualTo(2);
        }
    }
}
