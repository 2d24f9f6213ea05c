package dev.perigee.broker.topic;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Topic attributes as tools change them: a comma list of {@code +key=value} and {@code -key}. Keys that decide how
 * messages are stored cannot change after the creation.
 */
final class TopicAttributes {
    private static final Set<String> CHANGEABLE = Set.of("message.type", "reserve.time");
    private static final Map<String, String> FIXED = Map.of("queue.type", "SimpleCQ", "cleanup.policy", "DELETE");

    private TopicAttributes() {}

    /**
     * The attributes after the change.
     *
     * @throws IllegalArgumentException naming the key that is unknown or the value that is not supported
     */
    static Map<String, String> change(Map<String, String> before, String text) {
        Map<String, String> after = new TreeMap<>(before);
        for (String piece : text.split(",", -1)) {
            String change = piece.strip();
            if (change.startsWith("-")) {
                after.remove(known(change.substring(1)));
            } else if (!change.isEmpty()) {
                String pair = change.startsWith("+") ? change.substring(1) : change;
                int at = pair.indexOf('=');
                if (at < 1) {
                    throw new IllegalArgumentException("attribute '" + change + "' is not +key=value or -key");
                }
                String key = known(pair.substring(0, at));
                after.put(key, supported(key, pair.substring(at + 1)));
            }
        }
        return Map.copyOf(after);
    }

    private static String known(String key) {
        if (!CHANGEABLE.contains(key) && !FIXED.containsKey(key)) {
            throw new IllegalArgumentException("unsupported key: " + key);
        }
        return key;
    }

    private static String supported(String key, String value) {
        String only = FIXED.get(key);
        if (only != null && !only.equals(value)) {
            throw new IllegalArgumentException("attribute " + key + "=" + value + " is not built, only " + only);
        }
        return value;
    }
}
