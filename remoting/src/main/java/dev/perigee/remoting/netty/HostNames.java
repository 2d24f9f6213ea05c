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
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up host names on threads of its own, because a lookup blocks, for many seconds where no answer comes; numbers need none. Who asks for
 * a name that is being looked up waits for that lookup, so that one name holds one thread at most.
 */
@ThreadSafe
final class HostNames implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int MAX_WAITING = 1024;
    private static final long THREAD_KEEP_ALIVE_MS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(HostNames.class);

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
        this(
                task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                },
                lookup);
    }

    HostNames(ThreadFactory threads, Lookup lookup) {
        this.lookup = lookup;
        this.lookups = new ThreadPoolExecutor(
                THREADS, THREADS, THREAD_KEEP_ALIVE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), threads);
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
        boolean isFirst = false;
        boolean isTaken;
        synchronized (waiting) {
            isTaken = waitingCount < MAX_WAITING;
            if (isTaken) {
                waitingCount++;
                List<Asked> same = waiting.computeIfAbsent(host, name -> new ArrayList<>());
                isFirst = same.isEmpty();
                same.add(asked);
            }
        }
        if (!isTaken) {
            asked.failed.accept(new IOException("more than " + MAX_WAITING + " host names wait for lookup"));
        } else if (isFirst) {
            try {
                lookups.execute(() -> lookUp(host));
            } catch (RuntimeException | Error e) { // closed, or there is no thread to be had
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
        tell(host, each -> each.failed.accept(cause));
    }

    /** One that throws leaves nobody behind it untold. */
    private void tell(String host, Consumer<Asked> what) {
        for (Asked each : taken(host)) {
            try {
                what.accept(each);
            } catch (RuntimeException | Error e) {
                LOG.error("event=host_name_receiver_failed host={}", host, e);
            }
        }
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
        } catch (RuntimeException | Error e) { // whatever it is, who waits is told
            fail(host, e);
            return;
        }
        tell(host, each -> each.found.accept(new InetSocketAddress(address, each.port)));
    }
}
