package dev.perigee.remoting;

/**
 * Answers one kind of request. Called on the connection's event loop; must not block. The reply may be given during the
 * call or later, from any thread.
 *
 * @param <Q> request header type
 * @param <R> response header type
 */
public interface RequestHandler<Q extends Record, R extends Record> {
    /** Takes one request. An exception is logged and answered with code 1. */
    void handle(Request<Q> request, Reply<R> reply);
}
