package dev.perigee.protocol.message;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes and reads unique message ids: upper-case hex of address, process id (16 bits), a number of this process (32
 * bits), milliseconds since the month began (32 bits) and a counter (16 bits).
 */
@ThreadSafe
public final class UniqueId {
    private static final byte[] DIGITS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final int TAIL_BYTES = Integer.BYTES + Short.BYTES;
    private static final int FIXED_BYTES = Short.BYTES + Integer.BYTES + TAIL_BYTES;

    private final byte[] prefix;
    private final Clock clock;
    private final ZoneId zone;
    private final AtomicInteger counter = new AtomicInteger();
    private volatile long monthStartMs;
    private volatile long monthEndMs;

    /**
     * A maker of ids.
     *
     * @param address of this machine, 4 or 16 bytes
     * @param processId its low 16 bits are used
     * @param processNumber tells makers of one process apart, for instance a random number
     * @param zone decides when a month begins
     */
    public UniqueId(byte[] address, long processId, int processNumber, Clock clock, ZoneId zone) {
        ByteBuffer bytes = ByteBuffer.allocate(address.length + Short.BYTES + Integer.BYTES);
        bytes.put(address).putShort((short) processId).putInt(processNumber);
        this.prefix = HEX.formatHex(bytes.array()).getBytes(StandardCharsets.US_ASCII);
        this.clock = clock;
        this.zone = zone;
    }

    /** A new id. Unique while fewer than 65,536 are made within a millisecond. */
    @SuppressWarnings("deprecation") // String(byte[], int, int, int) makes ASCII text without a decoder
    public String next() {
        long nowMs = clock.wallMs();
        if (nowMs >= monthEndMs || nowMs < monthStartMs) {
            startMonth(nowMs);
        }
        byte[] text = Arrays.copyOf(prefix, prefix.length + 2 * TAIL_BYTES);
        long tail = ((nowMs - monthStartMs) << Short.SIZE) | (counter.getAndIncrement() & 0xFFFF);
        for (int i = text.length - 1; i >= prefix.length; i--) {
            text[i] = DIGITS[(int) tail & 0xF];
            tail >>>= 4;
        }
        return new String(text, 0, 0, text.length);
    }

    private void startMonth(long nowMs) {
        ZonedDateTime start = monthStart(Instant.ofEpochMilli(nowMs).atZone(zone));
        monthStartMs = start.toInstant().toEpochMilli();
        monthEndMs = start.plusMonths(1).toInstant().toEpochMilli();
    }

    private static ZonedDateTime monthStart(ZonedDateTime time) {
        return time.withDayOfMonth(1).truncatedTo(ChronoUnit.DAYS);
    }

    /**
     * The parts of an id.
     *
     * @param address of the maker's machine
     * @param processId low 16 bits
     * @param processNumber number of the process
     * @param sinceMonthStartMs milliseconds since the month began
     * @param counter of the maker
     */
    public record Parts(InetAddress address, int processId, int processNumber, int sinceMonthStartMs, int counter) {
        /** When the id was made: this month, or the one before if that would be in the future. */
        public long madeMs(long nowMs, ZoneId zone) {
            ZonedDateTime start = monthStart(Instant.ofEpochMilli(nowMs).atZone(zone));
            long madeMs = start.toInstant().toEpochMilli() + sinceMonthStartMs;
            return madeMs <= nowMs ? madeMs : start.minusMonths(1).toInstant().toEpochMilli() + sinceMonthStartMs;
        }
    }

    /**
     * Takes an id apart.
     *
     * @throws IllegalArgumentException when the text is no unique id
     */
    public static Parts parse(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(HEX.parseHex(text));
        int addressBytes = bytes.capacity() - FIXED_BYTES;
        if (addressBytes != HostBytes.V4_ADDRESS_BYTES && addressBytes != HostBytes.V6_ADDRESS_BYTES) {
            throw new IllegalArgumentException("unique id '" + text + "' has " + text.length() + " characters");
        }
        byte[] address = new byte[addressBytes];
        bytes.get(address);
        try {
            return new Parts(
                    InetAddress.getByAddress(address),
                    bytes.getShort() & 0xFFFF,
                    bytes.getInt(),
                    bytes.getInt(),
                    bytes.getShort() & 0xFFFF);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are an address", e);
        }
    }
}
