package dev.perigee.protocol.frame;

/** How the header of a frame is written: the top byte of the second int32 of the frame. */
public enum HeaderSerialization {
    /** A JSON object; what stock peers write by default. */
    JSON((byte) 0),
    /** The compact binary form. */
    BINARY((byte) 1);

    private final byte code;

    HeaderSerialization(byte code) {
        this.code = code;
    }

    /** The byte on the wire. */
    public byte code() {
        return code;
    }

    /** @throws MalformedFrameException when the byte is neither 0 nor 1 */
    public static HeaderSerialization of(byte code) throws MalformedFrameException {
        return switch (code) {
            case 0 -> JSON;
            case 1 -> BINARY;
            default -> throw new MalformedFrameException("serialization type " + code + " is neither 0 nor 1");
        };
    }
}
