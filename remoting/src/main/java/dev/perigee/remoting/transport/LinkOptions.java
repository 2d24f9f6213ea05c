package dev.perigee.remoting.transport;

import dev.perigee.loop.Immutable;

/**
 * What a transport needs to know to open ports and links.
 *
 * @param highWaterBytes queued outgoing bytes of one link above which it is not writable
 * @param lowWaterBytes queued outgoing bytes at which it is writable again
 * @param connectTimeoutMs longest time for opening a connection; on a server, for a TLS handshake
 * @param tls encryption
 */
@Immutable
public record LinkOptions(int highWaterBytes, int lowWaterBytes, int connectTimeoutMs, TlsConfig tls) {
    public LinkOptions {
        if (lowWaterBytes <= 0 || highWaterBytes <= lowWaterBytes) {
            throw new IllegalArgumentException("water marks lowBytes=" + lowWaterBytes + " highBytes=" + highWaterBytes
                    + ", wanted 0 < low < high");
        }
        if (connectTimeoutMs <= 0) {
            throw new IllegalArgumentException("connectTimeoutMs=" + connectTimeoutMs + ", wanted more than 0");
        }
    }
}
