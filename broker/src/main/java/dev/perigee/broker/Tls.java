package dev.perigee.broker;

import dev.perigee.broker.config.TlsSettings;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the TLS settings into what the network side needs. */
final class Tls {
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    private Tls() {}

    /** Without a certificate TLS is not offered, whatever the mode. */
    static TlsConfig of(TlsSettings settings) {
        if (!settings.permissive()) {
            return TlsConfig.OFF;
        }
        if (settings.certPath().isEmpty() != settings.keyPath().isEmpty()) {
            throw new ConfigException(
                    "tls.server.certPath", settings.certPath(), "a certificate and tls.server.keyPath together");
        }
        if (settings.certPath().isEmpty()) {
            LOG.info("event=tls_off reason=no_certificate");
            return TlsConfig.OFF;
        }
        return new TlsConfig(
                TlsMode.PERMISSIVE,
                Path.of(settings.certPath()),
                Path.of(settings.keyPath()),
                settings.keyPassword().isEmpty() ? null : settings.keyPassword(),
                TlsConfig.Trust.ALL,
                null);
    }
}
