package dev.perigee.broker.check;

import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.RequestHandler;

/** Requests whose meaning this release knows and refuses by name, instead of doing something else with them. */
public final class NotBuilt {
    private NotBuilt() {}

    /** A handler that refuses; {@code what} completes "… is not supported by this release". */
    public static <Q extends Record, R extends Record> RequestHandler<Q, R> handler(String what) {
        return (request, reply) -> reply.fail(
                ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                " request type " + request.code() + " not supported: " + what + " is not supported by this release");
    }
}
