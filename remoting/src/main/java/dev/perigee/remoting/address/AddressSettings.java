package dev.perigee.remoting.address;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.Setting;
import dev.perigee.protocol.topic.TopicName;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The kinds of settings that name hosts, ports, addresses, servers, topics and places on the disk. */
public final class AddressSettings {
    /** A server gives names to system topics, made of its own name and up to 27 characters more. */
    public static final int MAX_NAME_LENGTH = 100;

    private static final String HTTP = "http://";
    private static final String SEPARATORS = "[;,]";
    private static final Pattern NAME =
            Pattern.compile("[%|a-zA-Z0-9_-][%|a-zA-Z0-9._-]{0," + (MAX_NAME_LENGTH - 1) + "}");

    private AddressSettings() {}

    /** The port of a server; 0 lets the system choose. */
    public static Setting<Integer> port(String key, int defaultPort) {
        return Setting.ofInt(key, defaultPort, 0, AddressText.MAX_PORT);
    }

    /** A host to listen on. */
    public static Setting<String> host(String key, String defaultHost) {
        return Setting.of(key, defaultHost, AddressText.HOST_WORDS, text -> AddressText.isHost(text) ? text : null);
    }

    /** A host that others are told; {@code 0.0.0.0} is none. */
    public static Setting<String> toldHost(String key, String defaultHost) {
        return Setting.of(
                key,
                defaultHost,
                AddressText.HOST_WORDS + " that others can reach",
                text -> AddressText.isHost(text) && !isEverywhere(text) ? text : null);
    }

    /**
     * Any number of addresses, separated by semicolons or commas. The value has semicolons, names each address once and is
     * empty when there is none.
     */
    public static Setting<String> addresses(String key) {
        return Setting.of(
                key,
                "",
                "host:port, ports from 1 to " + AddressText.MAX_PORT + ", several separated by semicolons",
                text -> {
                    List<String> pieces = pieces(text);
                    boolean good = pieces.stream()
                            .allMatch(piece -> AddressText.parse(piece).isPresent());
                    return good ? String.join(";", pieces) : null;
                });
    }

    /** The addresses in a value of {@link #addresses}. */
    public static List<String> list(String value) {
        return pieces(value);
    }

    /** The name of a server or cluster. */
    public static Setting<String> name(String key, String defaultName) {
        return Setting.of(
                key,
                defaultName,
                "1 to " + MAX_NAME_LENGTH + " of the characters a-z A-Z 0-9 _ - % | and, not as the first, .",
                text -> NAME.matcher(text).matches() ? text : null);
    }

    /** The name of a topic. */
    public static Setting<String> topic(String key, String defaultName) {
        return Setting.of(
                key,
                defaultName,
                "1 to " + TopicName.MAX_LENGTH + " of the characters a-z A-Z 0-9 _ - % |",
                text -> TopicName.problem(text) == null ? text : null);
    }

    /** A path of this machine; whether anything lies there is not looked at. */
    public static Setting<String> path(String key, String defaultPath) {
        return Setting.of(key, defaultPath, "a path of this machine", text -> {
            Path unused = Path.of(text); // throws what is an IllegalArgumentException
            return text;
        });
    }

    /**
     * Looks a host up that must be known here already. Blocks.
     *
     * @throws ConfigException when it is not, naming the key
     */
    public static void requireKnown(String key, String host) {
        try {
            InetAddress unused = InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            ConfigException refused =
                    new ConfigException(key, host, "an IP address, or a host name that this machine can look up");
            refused.initCause(e);
            throw refused;
        }
    }

    private static boolean isEverywhere(String host) {
        try {
            boolean isNumber = host.indexOf(':') >= 0 || host.matches("[\\d.]+"); // of which nothing is looked up
            return isNumber && InetAddress.getByName(host).isAnyLocalAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static List<String> pieces(String text) {
        return Arrays.stream(text.split(SEPARATORS, -1))
                .map(String::strip)
                .filter(piece -> !piece.isEmpty())
                .map(piece -> piece.startsWith(HTTP) ? piece.substring(HTTP.length()) : piece)
                .distinct()
                .collect(Collectors.toUnmodifiableList());
    }
}
