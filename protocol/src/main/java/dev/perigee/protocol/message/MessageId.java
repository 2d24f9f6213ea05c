package dev.perigee.protocol.message;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The offset message id: where a message lies. As text it is upper-case hex of address, port and physical offset: 32
 * characters for IPv4, 56 for IPv6.
 *
 * @param storeHost the broker that stored the message
 * @param physicalOffset its place in that broker's log
 */
public record MessageId(InetSocketAddress storeHost, long physicalOffset) {
    private static final int V4_TEXT_LENGTH = 2 * (HostBytes.V4_BYTES + Long.BYTES);
    private static final int V6_TEXT_LENGTH = 2 * (HostBytes.V6_BYTES + Long.BYTES);
    private static final byte[] DIGITS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /**
     * Reads an id.
     *
     * @throws IllegalArgumentException when the text is no offset message id
     */
    public static MessageId parse(String text) {
        if (text.length() != V4_TEXT_LENGTH && text.length() != V6_TEXT_LENGTH) {
            throw new IllegalArgumentException("message id '" + text + "' has " + text.length() + " characters, wanted "
                    + V4_TEXT_LENGTH + " or " + V6_TEXT_LENGTH);
        }
        ByteBuffer bytes = ByteBuffer.wrap(HEX.parseHex(text));
        InetSocketAddress host = HostBytes.decode(bytes, 0, text.length() == V6_TEXT_LENGTH);
        return new MessageId(host, bytes.getLong(bytes.capacity() - Long.BYTES));
    }

    /** The id as text. */
    public String text() {
        return text(HostBytes.encode(storeHost), physicalOffset);
    }

    /** The text of an id whose host is already encoded by {@link HostBytes}. */
    @SuppressWarnings("deprecation") // String(byte[], int, int, int) makes ASCII text without a decoder
    public static String text(byte[] storeHost, long physicalOffset) {
        byte[] digits = new byte[2 * (storeHost.length + Long.BYTES)];
        int at = 0;
        for (byte b : storeHost) {
            digits[at++] = DIGITS[b >> 4 & 0xF];
            digits[at++] = DIGITS[b & 0xF];
        }
        for (int shift = Long.SIZE - 4; shift >= 0; shift -= 4) {
            digits[at++] = DIGITS[(int) (physicalOffset >>> shift) & 0xF];
        }
        return new String(digits, 0, 0, digits.length);
    }
}
