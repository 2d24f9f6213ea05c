package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.TlsConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Turns TLS settings into contexts of the JDK's TLS; clients with equal settings share one. */
@ThreadSafe
final class TlsContexts {
    private final Map<TlsConfig, SslContext> clients = new ConcurrentHashMap<>();

    /** @throws IOException when a file cannot be read or used, naming it */
    SslContext server(TlsConfig config) throws IOException {
        File certificate = readable(config.certificate(), "certificate");
        File key = readable(config.key(), "key");
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(certificate, key, config.keyPassword())
                    .sslProvider(SslProvider.JDK);
            if (config.trust() == TlsConfig.Trust.FILE) {
                builder.trustManager(readable(config.trustedCertificates(), "trusted certificates"))
                        .clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "TLS certificate " + certificate + " with key " + key + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** @throws IOException when a file cannot be read or used, naming it */
    SslContext client(TlsConfig config) throws IOException {
        SslContext known = clients.get(config);
        if (known != null) {
            return known;
        }
        SslContext made = makeClient(config);
        clients.put(config, made);
        return made;
    }

    private static SslContext makeClient(TlsConfig config) throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
        try {
            switch (config.trust()) {
                case ALL ->
                    builder.trustManager(InsecureTrustManagerFactory.INSTANCE).endpointIdentificationAlgorithm(null);
                case FILE -> builder.trustManager(readable(config.trustedCertificates(), "trusted certificates"));
                case SYSTEM -> {}
            }
            if (config.certificate() != null) {
                builder.keyManager(
                        readable(config.certificate(), "certificate"),
                        readable(config.key(), "key"),
                        config.keyPassword());
            }
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new IOException("TLS settings cannot be used: " + e.getMessage(), e);
        }
    }

    private static File readable(@Nullable Path path, String what) throws IOException {
        if (path == null) {
            throw new IOException("TLS needs a " + what + " file");
        }
        File file = path.toFile();
        if (!file.canRead()) {
            throw new IOException("TLS " + what + " file " + path + " cannot be read");
        }
        return file;
    }
}
