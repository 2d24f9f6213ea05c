package dev.perigee.raft;

import dev.perigee.loop.Immutable;
import dev.perigee.raft.member.Member;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What a node must never forget: the highest term it has taken part in, and whom it gave its vote there (Raft figure 2, R36).
 *
 * <pre>
 * | magic 8 "PERIVOT1" | term 4 | length 4 | candidate, UTF-8 | crc32c of all before 4 |
 * </pre>
 *
 * A candidate of length 0 is none.
 *
 * @param term the term, 0 before the first
 * @param candidate the member that has this node's vote in it; empty when it has not been given
 */
@Immutable
public record Vote(int term, Optional<String> candidate) {
    /** Of a node that never took part in an election. */
    public static final Vote NONE = new Vote(0, Optional.empty());

    private static final long MAGIC = 0x50455249_564f5431L;
    private static final int LENGTH_AT = 12;
    private static final int TEXT_AT = 16;
    private static final int CRC_BYTES = 4;
    private static final int MAX_ID_BYTES = 4 * Member.MAX_ID_LENGTH;

    public Vote {
        if (term < 0) {
            throw new IllegalArgumentException("term=" + term + ", must not be below 0");
        }
    }

    /** The bytes of its file. */
    public ByteBuffer encode() {
        byte[] text = candidate.orElse("").getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(TEXT_AT + text.length + CRC_BYTES);
        bytes.putLong(MAGIC).putInt(term).putInt(text.length).put(text);
        return bytes.putInt(crcOf(bytes, bytes.position())).flip();
    }

    /**
     * What a file holds.
     *
     * @param bytes from position to limit, left as they were
     * @throws IllegalArgumentException when that is no vote, whole to the byte: a node that guesses may vote twice, so it must stop
     */
    public static Vote decode(ByteBuffer bytes) {
        ByteBuffer from = bytes.slice();
        if (from.remaining() < TEXT_AT + CRC_BYTES || from.getLong(0) != MAGIC) {
            throw new IllegalArgumentException(from.remaining() + " bytes that do not begin as a vote");
        }
        int length = from.getInt(LENGTH_AT);
        if (length < 0 || length > MAX_ID_BYTES || from.remaining() != TEXT_AT + length + CRC_BYTES) {
            throw new IllegalArgumentException(
                    "a vote of " + from.remaining() + " bytes for a candidate of " + length + " bytes");
        }
        int crc = crcOf(from, TEXT_AT + length);
        int stored = from.getInt(TEXT_AT + length);
        if (crc != stored) {
            throw new IllegalArgumentException("a vote with checksum " + Integer.toHexString(stored)
                    + " whose bytes have " + Integer.toHexString(crc));
        }
        byte[] text = new byte[length];
        from.get(TEXT_AT, text);
        String candidate = new String(text, StandardCharsets.UTF_8);
        return new Vote(from.getInt(8), length == 0 ? Optional.empty() : Optional.of(candidate));
    }

    private static int crcOf(ByteBuffer bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(0).limit(length));
        return (int) crc.getValue();
    }
}
