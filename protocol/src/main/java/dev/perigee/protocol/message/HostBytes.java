package dev.perigee.protocol.message;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Hosts as frames and ids hold them: 4 or 16 bytes address, 4 bytes port. */
public final class HostBytes {
    public static final int V4_ADDRESS_BYTES = 4;
    public static final int V6_ADDRESS_BYTES = 16;
    public static final int PORT_BYTES = 4;
    public static final int V4_BYTES = V4_ADDRESS_BYTES + PORT_BYTES;
    public static final int V6_BYTES = V6_ADDRESS_BYTES + PORT_BYTES;

    private static final int MAX_PORT = 0xFFFF;

    private HostBytes() {}

    /**
     * Encodes a host.
     *
     * @throws IllegalArgumentException when its name is not resolved
     */
    public static byte[] encode(InetSocketAddress host) {
        InetAddress address = host.getAddress();
        if (address == null) {
            throw new IllegalArgumentException("unresolved host " + host);
        }
        byte[] raw = address.getAddress();
        return ByteBuffer.allocate(raw.length + PORT_BYTES)
                .put(raw)
                .putInt(host.getPort())
                .array();
    }

    /** Decodes a host of 8 or 20 bytes at an absolute position; a port that is none becomes 0. */
    public static InetSocketAddress decode(ByteBuffer buffer, int position, boolean v6) {
        byte[] raw = new byte[v6 ? V6_ADDRESS_BYTES : V4_ADDRESS_BYTES];
        buffer.get(position, raw);
        int port = buffer.getInt(position + raw.length);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(raw), port < 0 || port > MAX_PORT ? 0 : port);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are an address", e);
        }
    }

    /** The size of an encoded host. */
    public static int sizeBytes(boolean v6) {
        return v6 ? V6_BYTES : V4_BYTES;
    }
}
