package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Looks up host names on threads of its own, because a lookup blocks, for many seconds where no answer comes; numbers need none. Who asks for
 * a name that is being looked up waits for that lookup, so that one name holds one thread at most.
 */
@ThreadSafe
final class HostNames implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int MAX_WAITING = 1024;
    private static final long THREAD_KEEP_ALIVE_MS = 10_000;

    /** Finds the address of a name; blocks. */
    interface Lookup {
        InetAddress of(String host) throws UnknownHostException;
    }

    private record Asked(int port, Consumer<InetSocketAddress> found, Consumer<Throwable> failed) {}

    private final ThreadPoolExecutor lookups;
    private final Lookup lookup;
    /** Who waits, by the name; under its own lock. */
    private final Map<String, List<Asked>> waiting = new HashMap<>();

    private int waitingCount;

    HostNames(String threadName) {
        this(threadName, InetAddress::getByName);
    }

    HostNames(String threadName, Lookup lookup) {
        this.lookup = lookup;
        this.lookups = new ThreadPoolExecutor(
                THREADS, THREADS, THREAD_KEEP_ALIVE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                });
        lookups.allowCoreThreadTimeOut(true);
    }

    /**
     * Calls exactly one of the receivers: on the calling thread for a number, and where too many wait or this is closed; on a lookup thread for
     * a name; on the one that closes this for a name that was not found until then.
     */
    void resolve(InetSocketAddress address, Consumer<InetSocketAddress> found, Consumer<Throwable> failed) {
        byte[] number = NetUtil.createByteArrayFromIpAddressString(address.getHostString());
        try {
            if (number != null) {
                found.accept(new InetSocketAddress(InetAddress.getByAddress(number), address.getPort()));
            } else {
                resolve(address.getHostString(), new Asked(address.getPort(), found, failed));
            }
        } catch (UnknownHostException e) {
            failed.accept(e);
        }
    }

    private void resolve(String host, Asked asked) {
        boolean isFirst;
        synchronized (waiting) {
            if (waitingCount >= MAX_WAITING) {
                asked.failed.accept(new IOException("more than " + MAX_WAITING + " host names wait for lookup"));
                return;
            }
            waitingCount++;
            List<Asked> same = waiting.computeIfAbsent(host, name -> new ArrayList<>());
            isFirst = same.isEmpty();
            same.add(asked);
        }
        if (isFirst) {
            try {
                lookups.execute(() -> lookUp(host));
            } catch (RejectedExecutionException e) { // closed
                fail(host, e);
            }
        }
    }

    /** Whoever asks for the name from now on has it looked up anew. */
    private List<Asked> taken(String host) {
        synchronized (waiting) {
            List<Asked> all = waiting.remove(host);
            waitingCount -= all == null ? 0 : all.size();
            return all == null ? List.of() : all;
        }
    }

    private void fail(String host, Throwable cause) {
        taken(host).forEach(each -> each.failed.accept(cause));
    }

    /** Whoever waits is told that it is over; who asks from now on is told at once. */
    @Override
    public void close() {
        lookups.shutdownNow();
        List<String> hosts;
        synchronized (waiting) {
            hosts = List.copyOf(waiting.keySet());
        }
        hosts.forEach(host -> fail(host, new IOException("closed before the host name " + host + " was found")));
    }

    private void lookUp(String host) {
        InetAddress address;
        try {
            address = lookup.of(host);
        } catch (UnknownHostException e) {
            fail(host, new UnknownHostException("unknown host " + host));
            return;
        } catch (RuntimeException e) { // whatever it is, who waits is told
            fail(host, e);
            return;
        }
        taken(host).forEach(each -> each.found.accept(new InetSocketAddress(address, each.port)));
    }
}
