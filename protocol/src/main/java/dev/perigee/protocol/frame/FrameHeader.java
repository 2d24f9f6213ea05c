package dev.perigee.protocol.frame;

import dev.perigee.loop.OwnedBy;
import org.jspecify.annotations.Nullable;

/**
 * A decoded header. It borrows the bytes it was decoded from: the fixed fields stay valid, {@link #fields()} only as long
 * as those bytes are unchanged.
 */
@OwnedBy("the thread that decodes the frame")
public final class FrameHeader {
    private static final byte[] NO_BYTES = {};

    private final CommandHead head;
    private final byte[] bytes;
    private final @Nullable JsonFields jsonFields;
    private final int fieldsStart;
    private final int fieldsEnd;

    /** A binary header; a negative start means that there is no custom header. */
    FrameHeader(CommandHead head, byte[] bytes, int fieldsStart, int fieldsEnd) {
        this.head = head;
        this.bytes = bytes;
        this.jsonFields = null;
        this.fieldsStart = fieldsStart;
        this.fieldsEnd = fieldsEnd;
    }

    /** A JSON header; no fields mean that there is no custom header. */
    FrameHeader(CommandHead head, @Nullable JsonFields jsonFields) {
        this.head = head;
        this.bytes = NO_BYTES;
        this.jsonFields = jsonFields;
        this.fieldsStart = -1;
        this.fieldsEnd = -1;
    }

    /** The fixed fields together. */
    public CommandHead head() {
        return head;
    }

    /** The request code; in a response, the response code. */
    public int code() {
        return head.code();
    }

    /** The peer's language; {@link Language#OTHER} when it is not known. */
    public Language language() {
        return head.language();
    }

    /** The peer's release as a number, see {@link PeerVersion}. */
    public int version() {
        return head.version();
    }

    /** What ties a response to its request: the caller chose it, the response repeats it. */
    public int opaque() {
        return head.opaque();
    }

    /** The bits {@link CommandHead#RESPONSE} and {@link CommandHead#ONEWAY}; others mean nothing. */
    public int flag() {
        return head.flag();
    }

    /** Whether this is a response; a request otherwise. */
    public boolean isResponse() {
        return (head.flag() & CommandHead.RESPONSE) != 0;
    }

    /** Whether no response is wanted. */
    public boolean isOneway() {
        return (head.flag() & CommandHead.ONEWAY) != 0;
    }

    /** The text beside the code, or null. */
    public @Nullable String remark() {
        return head.remark();
    }

    /** How the header was written; a response is written the same way. */
    public HeaderSerialization serialization() {
        return head.serialization();
    }

    /** Whether the header has a custom header at all, even an empty one. */
    public boolean hasFields() {
        return jsonFields != null || fieldsStart >= 0;
    }

    /** A new cursor before the first field of the custom header. */
    public FieldCursor fields() {
        if (jsonFields != null) {
            return new JsonFieldCursor(jsonFields);
        }
        return fieldsStart < 0 ? BinaryFieldCursor.EMPTY : new BinaryFieldCursor(bytes, fieldsStart, fieldsEnd);
    }
}
