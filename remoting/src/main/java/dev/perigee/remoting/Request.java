package dev.perigee.remoting;

import dev.perigee.protocol.frame.FieldCursor;
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

    /**
     * The custom header as it came, field by field from the first on, also those that its codec passes over; valid only during {@link
     * RequestHandler#handle}.
     */
    FieldCursor fields();

    /** The body, read-only, from position 0; valid only during {@link RequestHandler#handle}. Empty when there is none. */
    ByteBuffer body();

    /** The body in an array of its own. To be called during {@link RequestHandler#handle}. */
    byte[] copyBody();

    /** The connection it came over. */
    Connection from();

    /**
     * Who asks: the peer of {@link #from}; or whoever that peer handed the request over for, to be compared and for its address, while
     * nothing can be sent there.
     */
    default Connection askedBy() {
        return from();
    }

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
