package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.netty.EventLoops;
import dev.perigee.remoting.transport.Payload;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscArrayQueue;

/**
 * Measures the processor time that the server's event loop spends per pipelined request over loopback. Arguments: seconds
 * per round, requests in flight. Server and client have an event loop each; only the server's thread is counted.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the answers are only counted
final class LoadMain {
    private static final Clock CLOCK = Clock.system();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private LoadMain() {}

    public static void main(String[] args) throws Exception {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        int inFlight = args.length > 1 ? Integer.parseInt(args[1]) : 256;
        for (int round = 0; round < 2; round++) {
            for (HeaderSerialization serialization : HeaderSerialization.values()) {
                run("in loop, no body, " + serialization, handlerInLoop(), serialization, 0, seconds, inFlight);
                run("in loop, 1 KiB in, " + serialization, handlerInLoop(), serialization, 1024, seconds, inFlight);
                run("other thread, 1 KiB in, " + serialization, otherThread(), serialization, 1024, seconds, inFlight);
            }
            for (int pieceBytes : new int[] {1 << 10, 4 << 10, 16 << 10}) {
                for (int pieces : new int[] {8, 32, 128}) {
                    run(
                            "answer of " + pieces + " x " + pieceBytes,
                            slices(pieces, pieceBytes),
                            HeaderSerialization.BINARY,
                            0,
                            seconds,
                            Math.min(inFlight, 16));
                }
            }
        }
    }

    private static RequestHandler<EchoHeader, EchoHeader> handlerInLoop() {
        return (request, reply) -> reply.ok(request.header());
    }

    /** Replies as the log loop does: from one other thread, in bursts. */
    private static RequestHandler<EchoHeader, EchoHeader> otherThread() {
        MpscArrayQueue<Runnable> inbox = new MpscArrayQueue<>(1 << 16);
        Thread thread = new Thread(() -> {
            while (true) {
                if (inbox.drain(Runnable::run) == 0) {
                    LockSupport.parkNanos(20_000);
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return (request, reply) -> inbox.offer(() -> reply.ok(request.header()));
    }

    private static RequestHandler<EchoHeader, EchoHeader> slices(int count, int sizeBytes) {
        ByteBuffer log = ByteBuffer.allocateDirect(64 << 20).asReadOnlyBuffer();
        int[] next = {0};
        return (request, reply) -> {
            List<ByteBuffer> pieces = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                next[0] = (next[0] + 3 * sizeBytes) % (log.capacity() - sizeBytes);
                pieces.add(log.slice(next[0], sizeBytes));
            }
            reply.ok(request.header(), new Pieces(pieces, count * sizeBytes));
        };
    }

    private record Pieces(List<ByteBuffer> pieces, int sizeBytes) implements Payload {
        @Override
        public int bufferCount() {
            return pieces.size();
        }

        @Override
        public ByteBuffer buffer(int index) {
            return pieces.get(index);
        }

        @Override
        public void release() {}
    }

    private static void run(
            String what,
            RequestHandler<EchoHeader, EchoHeader> handler,
            HeaderSerialization serialization,
            int bodyBytes,
            int seconds,
            int inFlight)
            throws Exception {
        EventLoops serverLoops = EventLoops.start("load-server", 1);
        EventLoops clientLoops = EventLoops.start("load-client", 1);
        RemotingServer server = new RemotingServer(
                ServerConfig.of("127.0.0.1", 0),
                HandlerTable.builder().on(Echo.ECHO, handler).build(),
                serverLoops,
                CLOCK);
        server.start();
        RemotingClient client =
                new RemotingClient(ClientConfig.DEFAULT.withSerialization(serialization), clientLoops, CLOCK);
        String address = Network.addressOf(server);
        byte[] body = new byte[bodyBytes];
        Semaphore places = new Semaphore(inFlight);
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long markNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds) / 2;
        long cpuAtMark = 0;
        long requestsAtMark = 0;
        for (int i = 0; System.nanoTime() < endNs; i++) {
            places.acquire();
            client.call(
                            address,
                            Echo.ECHO,
                            EchoHeader.of("topic-of-some-length", i),
                            body,
                            Deadline.after(CLOCK, 9_000))
                    .whenComplete((Answer<EchoHeader> answer, Throwable failure) -> places.release());
            if (cpuAtMark == 0 && System.nanoTime() > markNs) {
                cpuAtMark = serverCpuNs();
                requestsAtMark = server.counters().requests();
            }
        }
        long requests = server.counters().requests() - requestsAtMark;
        long cpuNs = serverCpuNs() - cpuAtMark;
        System.out.printf(
                "%-45s %,9d requests/s  %.2f us server CPU each%n",
                what, requests * 2 / seconds, cpuNs / 1_000.0 / requests);
        client.close();
        server.close();
        clientLoops.close();
        serverLoops.close();
    }

    private static long serverCpuNs() {
        for (ThreadInfo thread : THREADS.dumpAllThreads(false, false)) {
            if (thread.getThreadName().equals("load-server-0")) {
                return THREADS.getThreadCpuTime(thread.getThreadId());
            }
        }
        throw new IllegalStateException("no server loop");
    }
}
