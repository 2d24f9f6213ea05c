package dev.perigee.remoting;

import dev.perigee.protocol.frame.Language;
import java.nio.ByteBuffer;

/**
 * One request that has come in. May be kept until it is answered, except for {@link #body()}.
 *
 * @param <Q> request header type
 */
public interface Request<Q extends Record> {
    /** The custom header. */
    Q header();

    /** The body, read-only, from position 0; valid only during {@link RequestHandler#handle}. Empty when there is none. */
    ByteBuffer body();

    /** The body in an array of its own. To be called during {@link RequestHandler#handle}. */
    byte[] copyBody();

    /** The connection it came over. */
    Connection from();

    /** The request code. */
    int code();

    /** The peer's release number. */
    int version();

    /** The peer's language. */
    Language language();

    /** Whether the peer expects no answer. */
    boolean oneway();

    /** When it arrived, in monotonic milliseconds. */
    long arrivedMs();
}
