package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.TlsConfig;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS context of a listening port, always of the newest files. A new connection has the files looked at when the
 * last look is {@link #LOOK_INTERVAL_MS} old and waits for the outcome, so an idle server does nothing and a renewed
 * certificate counts at once. Files that cannot be used leave the context that is, and are tried again at the next look. The
 * throw-away certificate is made when the first connection wants it, or when the server asks for it beforehand (ADR 0026).
 */
@ThreadSafe
final class ServerTls {
    /** Connections within this time of a look trust it. */
    static final long LOOK_INTERVAL_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    private final TlsConfig config;
    private final Executor worker;
    private final LongSupplier nowNs;

    // guarded by this: connections of several loops ask at once, and one of them sets off the look
    private @Nullable CompletableFuture<SslContext> current;
    private long lookedNs;

    // owned by the one worker thread, after the constructor
    private @Nullable SslContext made;
    private List<Stamp> seen = List.of();
    private String refusedBefore = ""; // why, so that files that stay unusable are logged once

    /** What tells that a file changed. */
    private record Stamp(FileTime changed, long sizeBytes) {
        static final Stamp MISSING = new Stamp(FileTime.fromMillis(0), -1);
    }

    private ServerTls(TlsConfig config, Executor worker, LongSupplier nowNs) {
        this.config = config;
        this.worker = worker;
        this.nowNs = nowNs;
    }

    /**
     * @param worker runs one task at a time, may block
     * @param nowNs monotonic nanoseconds
     * @throws IOException when a file cannot be used, naming it
     */
    static ServerTls start(TlsConfig config, Executor worker, LongSupplier nowNs) throws IOException {
        ServerTls tls = new ServerTls(config, worker, nowNs);
        if (config.identity() == TlsConfig.Identity.FILES) {
            tls.seen = tls.stamps();
            SslContext first = TlsContexts.makeServer(config);
            tls.made = first;
            tls.current = CompletableFuture.completedFuture(first);
            tls.lookedNs = nowNs.getAsLong();
        } else if (config.trust() == TlsConfig.Trust.FILE) {
            TlsContexts.checkServer(config);
        }
        return tls;
    }

    /** The context for a connection that begins now; it is there already, unless files are looked at. */
    synchronized CompletableFuture<SslContext> forNewConnection() {
        CompletableFuture<SslContext> known = current;
        if (known != null && (!known.isDone() || !isDue()) && !known.isCompletedExceptionally()) {
            return known;
        }
        lookedNs = nowNs.getAsLong();
        CompletableFuture<SslContext> looking = CompletableFuture.supplyAsync(this::newest, worker);
        current = looking;
        return looking;
    }

    private boolean isDue() {
        return config.identity() == TlsConfig.Identity.FILES
                && nowNs.getAsLong() - lookedNs >= TimeUnit.MILLISECONDS.toNanos(LOOK_INTERVAL_MS);
    }

    private SslContext newest() {
        SslContext before = made;
        List<Stamp> stamps = stamps();
        if (before != null && stamps.equals(seen)) {
            refusedBefore = "";
            return before;
        }
        try {
            SslContext fresh = TlsContexts.makeServer(config);
            made = fresh;
            seen = stamps; // only now: what could not be read is read again at the next look, changed or not
            refusedBefore = "";
            LOG.info("event={} config={}", before == null ? "tls_throw_away_certificate_made" : "tls_reloaded", config);
            return fresh;
        } catch (IOException e) {
            if (before == null) {
                throw new UncheckedIOException(e);
            }
            String reason = String.valueOf(e.getMessage());
            if (!reason.equals(refusedBefore)) {
                LOG.warn("event=tls_reload_failed effect=old_certificate_stays reason=\"{}\"", reason);
            }
            refusedBefore = reason;
            return before;
        }
    }

    private List<Stamp> stamps() {
        List<Stamp> stamps = new ArrayList<>();
        for (Path file : new Path[] {config.certificate(), config.key(), config.trustedCertificates()}) {
            if (file != null) {
                stamps.add(stamp(file));
            }
        }
        return stamps;
    }

    private static Stamp stamp(Path file) {
        try {
            return new Stamp(Files.getLastModifiedTime(file), Files.size(file));
        } catch (IOException e) {
            return Stamp.MISSING; // it is being replaced; reading it says what is wrong, if something is
        }
    }
}
