package dev.perigee.protocol.rpc;

/** The custom header of a request or response that has none. */
public record NoHeader() {
    /** The only value needed. */
    public static final NoHeader NONE = new NoHeader();
}
