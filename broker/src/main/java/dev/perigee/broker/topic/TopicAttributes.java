package dev.perigee.broker.topic;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.InOrder;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Topic attributes as tools change them (broker-admin §1): code 17 sends a comma list of {@code +key=value} and {@code
 * -key}, code 18 a map whose keys begin with {@code +} or {@code -}, or the plain map that codes 21 and 351 give out. What
 * is not named stays as it is. Keys that decide how messages are stored take only the one value that is built.
 */
final class TopicAttributes {
    private static final String MESSAGE_TYPE = "message.type";
    private static final String MIXED = "MIXED";
    private static final String RESERVE_TIME = "reserve.time";
    private static final Map<String, String> ACCEPTED = Map.of(
            MESSAGE_TYPE,
            "UNSPECIFIED, NORMAL, FIFO, DELAY or TRANSACTION",
            RESERVE_TIME,
            "a whole number from -1, which is the broker's own time, upwards",
            "queue.type",
            "SimpleCQ",
            "cleanup.policy",
            "DELETE");
    private static final Set<String> MESSAGE_TYPES = Set.of("UNSPECIFIED", "NORMAL", "FIFO", "DELAY", "TRANSACTION");

    private TopicAttributes() {}

    /** Attributes after a change, or why there is none. */
    record Outcome(Map<String, String> attributes, @Nullable Refusal refusal) {
        private static Outcome refused(int code, String remark) {
            return new Outcome(Map.of(), new Refusal(code, remark));
        }
    }

    /** The attributes after the change a text describes. */
    static Outcome change(Map<String, String> before, String text) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String piece : text.split(",", -1)) {
            String change = piece.strip();
            int at = change.indexOf('=');
            boolean isSet = change.startsWith("+") && at > 1;
            boolean isRemoval = change.startsWith("-") && at < 0 && change.length() > 1;
            if (!change.isEmpty() && !isSet && !isRemoval) {
                return Outcome.refused(
                        ResponseCode.SYSTEM_ERROR, "attribute '" + change + "' is neither +key=value nor -key");
            }
            if (!change.isEmpty()) {
                changes.put(isSet ? change.substring(0, at) : change, isSet ? change.substring(at + 1) : "");
            }
        }
        return change(before, changes);
    }

    /** The attributes after the changes of a map. */
    static Outcome change(Map<String, String> before, Map<String, String> changes) {
        Map<String, String> after = new TreeMap<>(before);
        Set<String> seen = new HashSet<>();
        for (Map.Entry<String, String> change : changes.entrySet()) {
            String text = change.getKey();
            boolean isSigned = text.startsWith("+") || text.startsWith("-");
            String key = isSigned ? text.substring(1) : text;
            String accepted = ACCEPTED.get(key);
            if (accepted == null) {
                return Outcome.refused(
                        ResponseCode.SYSTEM_ERROR,
                        "attribute '" + key + "' is an unsupported key, accepted: " + String.join(", ", names()));
            }
            if (!seen.add(key)) {
                return Outcome.refused(ResponseCode.SYSTEM_ERROR, "attribute '" + key + "' is changed twice");
            }
            if (text.startsWith("-")) {
                after.remove(key);
                continue;
            }
            String value = change.getValue();
            if (value == null || !isAccepted(key, value)) {
                boolean known = MIXED.equals(value) && key.equals(MESSAGE_TYPE);
                return Outcome.refused(
                        known ? ResponseCode.INVALID_PARAMETER : ResponseCode.SYSTEM_ERROR,
                        "attribute " + key + "=" + value + " is not accepted: wanted " + accepted);
            }
            after.put(key, value);
        }
        return new Outcome(InOrder.copyOf(after), null);
    }

    private static Set<String> names() {
        return new TreeSet<>(ACCEPTED.keySet());
    }

    private static boolean isAccepted(String key, String value) {
        return switch (key) {
            case MESSAGE_TYPE -> MESSAGE_TYPES.contains(value);
            case RESERVE_TIME -> value.equals("-1") || value.matches("\\d{1,18}");
            default -> value.equals(ACCEPTED.get(key));
        };
    }
}
