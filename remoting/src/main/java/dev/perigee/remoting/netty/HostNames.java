package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Looks up host names on a thread of its own, because the lookup blocks; numbers need none. */
@ThreadSafe
final class HostNames implements AutoCloseable {
    private static final int MAX_WAITING = 1024;
    private static final long THREAD_KEEP_ALIVE_MS = 10_000;

    private final ThreadPoolExecutor lookups;

    HostNames(String threadName) {
        this.lookups = new ThreadPoolExecutor(
                1, 1, THREAD_KEEP_ALIVE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                });
        lookups.allowCoreThreadTimeOut(true);
    }

    /** Calls exactly one of the receivers: on the calling thread for a number, on the lookup thread for a name. */
    void resolve(InetSocketAddress address, Consumer<InetSocketAddress> found, Consumer<Throwable> failed) {
        byte[] number = NetUtil.createByteArrayFromIpAddressString(address.getHostString());
        try {
            if (number != null) {
                found.accept(new InetSocketAddress(InetAddress.getByAddress(number), address.getPort()));
            } else {
                lookups.execute(() -> lookUp(address, found, failed));
            }
        } catch (UnknownHostException e) {
            failed.accept(e);
        } catch (RejectedExecutionException e) {
            failed.accept(new IOException("more than " + MAX_WAITING + " host names wait for lookup", e));
        }
    }

    @Override
    public void close() {
        lookups.shutdownNow();
    }

    private static void lookUp(
            InetSocketAddress address, Consumer<InetSocketAddress> found, Consumer<Throwable> failed) {
        try {
            found.accept(new InetSocketAddress(InetAddress.getByName(address.getHostString()), address.getPort()));
        } catch (UnknownHostException e) {
            failed.accept(new UnknownHostException("unknown host " + address.getHostString()));
        }
    }
}
