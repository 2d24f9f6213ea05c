package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.transport.TlsConfig;

/**
 * Ports and limits of the network side.
 *
 * @param bindHost address to listen on; empty = all
 * @param listenPort port of clients; 0 lets the system choose (tests)
 * @param fastPort whether listenPort − 2 is listened on too
 * @param tls how TLS is offered on the same port
 * @param clientTls how connections to NameServers are encrypted
 * @param shutdownWaitMs longest wait for a clean stop
 */
@Immutable
public record NetworkSettings(
        String bindHost, int listenPort, boolean fastPort, TlsConfig tls, TlsConfig clientTls, int shutdownWaitMs) {}
