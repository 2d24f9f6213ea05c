package dev.perigee.protocol.rpc;

import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes one type of custom header. Stateless and thread-safe.
 *
 * @param <H> the header record
 */
public interface HeaderCodec<H> {
    /**
     * Reads a header. Unknown fields are passed over.
     *
     * @throws BadFieldException when a mandatory field is missing or a value is not of its type; the text names both
     */
    H decode(FieldCursor fields) throws BadFieldException;

    /** Writes every field that is not null. */
    void encode(H header, FieldSink out);

    /** Makes ready now what the first header makes otherwise. */
    default void prepare() {}

    /** What {@code FrameCodec} needs to write this header; null for null and for {@link NoHeader}. */
    default @Nullable Consumer<FieldSink> writer(@Nullable H header) {
        return header == null || header instanceof NoHeader ? null : sink -> encode(header, sink);
    }
}
