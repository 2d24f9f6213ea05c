package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.tls.TlsFiles;
import dev.perigee.remoting.transport.TlsConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Turns TLS settings into contexts of the JDK's TLS. Ports with equal settings share one, and so do clients. Files of
 * ports are looked at on a thread that exists only while there is something to look at.
 */
@ThreadSafe
final class TlsContexts implements AutoCloseable {
    /** One look per set of settings may wait; a process has a handful of those. */
    private static final int MAX_WAITING = 64;

    private static final long THREAD_KEEP_ALIVE_MS = 1_000;

    private final Map<TlsConfig, SslContext> clients = new ConcurrentHashMap<>();
    private final Map<TlsConfig, ServerTls> servers = new HashMap<>(); // guarded by this: making one reads files
    private final ThreadPoolExecutor worker;
    private final LongSupplier nowNs;

    TlsContexts(String threadName, LongSupplier nowNs) {
        this.nowNs = nowNs;
        this.worker = new ThreadPoolExecutor(
                1, 1, THREAD_KEEP_ALIVE_MS, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(MAX_WAITING), task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                });
        worker.allowCoreThreadTimeOut(true);
    }

    /** @throws IOException when a file cannot be used, naming it and its setting */
    synchronized ServerTls server(TlsConfig config) throws IOException {
        ServerTls known = servers.get(config);
        if (known == null) {
            known = ServerTls.start(config, worker, nowNs);
            servers.put(config, known);
        }
        return known;
    }

    /** @throws IOException when a file cannot be used, naming it and its setting */
    SslContext client(TlsConfig config) throws IOException {
        SslContext known = clients.get(config);
        if (known != null) {
            return known;
        }
        SslContext made = makeClient(config);
        clients.put(config, made);
        return made;
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }

    static void checkServer(TlsConfig config) throws IOException {
        TlsFiles.read(config, TlsFiles.Side.SERVER);
    }

    static SslContext makeServer(TlsConfig config) throws IOException {
        TlsFiles files = TlsFiles.read(config, TlsFiles.Side.SERVER);
        TlsFiles.Own own = files.own().isPresent() ? files.own().get() : ThrowAwayCertificate.make();
        SslContextBuilder builder =
                SslContextBuilder.forServer(own.key(), own.chain()).sslProvider(SslProvider.JDK);
        trust(builder, config, files);
        builder.clientAuth(
                switch (config.clientAuth()) {
                    case NONE -> ClientAuth.NONE;
                    case OPTIONAL -> ClientAuth.OPTIONAL;
                    case REQUIRE -> ClientAuth.REQUIRE;
                });
        return built(builder, config);
    }

    private static SslContext makeClient(TlsConfig config) throws IOException {
        TlsFiles files = TlsFiles.read(config, TlsFiles.Side.CLIENT);
        SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
        trust(builder, config, files);
        if (config.trust() == TlsConfig.Trust.ALL) {
            builder.endpointIdentificationAlgorithm(null);
        }
        files.own().ifPresent(own -> builder.keyManager(own.key(), own.chain()));
        return built(builder, config);
    }

    private static void trust(SslContextBuilder builder, TlsConfig config, TlsFiles files) {
        switch (config.trust()) {
            case ALL -> builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            case FILE -> builder.trustManager(files.roots());
            case SYSTEM -> {}
        }
    }

    private static SslContext built(SslContextBuilder builder, TlsConfig config) throws IOException {
        try {
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new IOException("TLS settings " + config + " cannot be used: " + e.getMessage(), e);
        }
    }
}
