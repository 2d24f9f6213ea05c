package dev.perigee.remoting.address;

import dev.perigee.loop.Immutable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An address as it is written: {@code host:port}, split at the last colon. The host is an IPv4 address, an IPv6 address with or
 * without brackets, or a host name; whether it exists is not looked up.
 *
 * @param host without the port
 * @param port from 1 to 65535
 */
@Immutable
public record AddressText(String host, int port) {
    /** The largest port there is. */
    public static final int MAX_PORT = 65_535;

    /** What {@link #isHost} accepts, in words. */
    public static final String HOST_WORDS = "an IP address or a host name";

    private static final int MAX_HOST_LENGTH = 253;
    private static final String BYTE = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final Pattern V4 = Pattern.compile("(" + BYTE + "\\.){3}" + BYTE);
    private static final Pattern NUMBERS_AND_DOTS = Pattern.compile("[\\d.]+");
    private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%[\\w.-]+)?");
    private static final String LABEL = "[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?";
    private static final Pattern NAME = Pattern.compile(LABEL + "(\\." + LABEL + ")*\\.?");
    private static final Pattern PORT = Pattern.compile("\\d{1,5}");

    /** Reads {@code host:port}; empty when it is not that. */
    public static Optional<AddressText> parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0 || !PORT.matcher(text.substring(colon + 1)).matches()) {
            return Optional.empty();
        }
        String host = text.substring(0, colon);
        int port = Integer.parseInt(text.substring(colon + 1));
        return isHost(host) && port > 0 && port <= MAX_PORT
                ? Optional.of(new AddressText(host, port))
                : Optional.empty();
    }

    /** Whether the text can be a host. Never looks anything up. */
    public static boolean isHost(String text) {
        if (text.length() > MAX_HOST_LENGTH) {
            return false;
        }
        if (text.indexOf(':') >= 0) {
            return isV6(text);
        }
        return NUMBERS_AND_DOTS.matcher(text).matches()
                ? V4.matcher(text).matches()
                : NAME.matcher(text).matches();
    }

    private static boolean isV6(String text) {
        boolean brackets = text.startsWith("[") && text.endsWith("]");
        String number = brackets ? text.substring(1, text.length() - 1) : text;
        if (!V6.matcher(number).matches()) {
            return false;
        }
        try {
            return InetAddress.getByName(number).getAddress().length > 0; // of text with a colon nothing is looked up
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
