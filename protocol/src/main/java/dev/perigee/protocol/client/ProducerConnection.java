package dev.perigee.protocol.client;

import java.util.Set;

/**
 * Body of GET_PRODUCER_CONNECTION_LIST (204).
 */
public record ProducerConnection(Set<ClientConnection> connectionSet) {
    public ProducerConnection {
        connectionSet = connectionSet == null ? Set.of() : connectionSet;
    }
}
