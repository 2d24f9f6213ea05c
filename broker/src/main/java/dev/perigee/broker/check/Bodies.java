package dev.perigee.broker.check;

import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.transport.Payload;
import org.jspecify.annotations.Nullable;

/** JSON bodies of requests and answers. */
public final class Bodies {
    private Bodies() {}

    /** The body as this type; null when it is none, and then the request is already answered with code 1. */
    public static <T> @Nullable T read(Request<?> request, Reply<?> reply, Class<T> type) {
        try {
            return Json.read(request.copyBody(), type);
        } catch (BadBodyException e) {
            reply.fail(ResponseCode.SYSTEM_ERROR, String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** Whether a member of a body says nothing: the JSON reader gives null for what is absent. */
    public static boolean isBlank(@Nullable String text) {
        return text == null || text.isBlank();
    }

    /** A body in the dialect stock peers expect. */
    public static Payload json(Object value) {
        return Payload.of(Json.write(value));
    }
}
