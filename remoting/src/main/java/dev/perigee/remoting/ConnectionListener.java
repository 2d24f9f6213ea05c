package dev.perigee.remoting;

/** Told when connections come and go. Called on the connection's event loop; must not block. */
public interface ConnectionListener {
    /** Listens to nothing. */
    ConnectionListener NONE = new ConnectionListener() {};

    /** A connection is open. Comes before any of its requests. */
    default void opened(Connection connection) {}

    /** A connection has closed. */
    default void closed(Connection connection) {}
}
