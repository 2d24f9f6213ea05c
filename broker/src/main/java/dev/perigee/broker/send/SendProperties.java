package dev.perigee.broker.send;

import dev.perigee.broker.timer.Wish;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a send has to know about the properties of a message, found in one pass over the encoded bytes. Reusable; one per
 * event loop.
 */
@OwnedBy("event loop")
final class SendProperties {
    private static final byte NAME_END = 1;
    private static final byte PAIR_END = 2;

    /** What is said instead of a priority where there is none. */
    static final int NO_PRIORITY = -1;

    /** Most index keys of one message: each is an entry of the key index. */
    static final int MAX_KEYS = 4_096;

    private byte[] utf8 = new byte[0];
    private @Nullable String uniqueKey;
    private @Nullable String level;
    private @Nullable String delaySec;
    private @Nullable String delayMs;
    private @Nullable String deliverMs;
    private boolean fired;
    private int priority;
    private boolean hasShardingKey;
    private boolean half;
    private boolean waitForStore;
    private boolean needsEdit;
    private int keys;

    /** Looks through the properties. When a name comes twice, the last one counts. */
    void scan(PropertyText text) {
        utf8 = text.toByteArray();
        uniqueKey = null;
        level = null;
        delaySec = null;
        delayMs = null;
        deliverMs = null;
        fired = false;
        priority = NO_PRIORITY;
        hasShardingKey = false;
        half = false;
        waitForStore = true;
        keys = 0;
        needsEdit = utf8.length > 0 && utf8[utf8.length - 1] != PAIR_END;
        int from = 0;
        while (from < utf8.length) {
            int nameEnd = from;
            while (nameEnd < utf8.length && utf8[nameEnd] != NAME_END && utf8[nameEnd] != PAIR_END) {
                nameEnd++;
            }
            int pairEnd = nameEnd;
            while (pairEnd < utf8.length && utf8[pairEnd] != PAIR_END) {
                pairEnd++;
            }
            if (nameEnd == from || pairEnd - nameEnd < 2) {
                needsEdit = true; // a pair without name or value
            } else {
                take(from, nameEnd, pairEnd);
            }
            from = pairEnd + 1;
        }
    }

    /** The message's unique key, or null. */
    @Nullable
    String uniqueKey() {
        return uniqueKey;
    }

    /** Whether the message says anything of when it wants to be delivered, even that it does not wait. */
    boolean hasWish() {
        return level != null || delaySec != null || delayMs != null || deliverMs != null;
    }

    /** What it says of that. */
    Wish wish() {
        return hasWish() ? new Wish(level, delaySec, delayMs, deliverMs, fired) : Wish.NONE;
    }

    /** The message's priority; {@link #NO_PRIORITY} without one, and for a text that is no number from 0 on. */
    int priority() {
        return priority;
    }

    /** Whether its order key says which queue it belongs to. */
    boolean hasShardingKey() {
        return hasShardingKey;
    }

    /** Whether the message is the first half of a transaction. */
    boolean half() {
        return half;
    }

    /** Whether the answer waits until the message is stored as the flush mode asks. */
    boolean waitForStore() {
        return waitForStore;
    }

    /** How many index keys the message has; counted only where there may be more than {@link #MAX_KEYS}, else 0. */
    int keys() {
        return keys;
    }

    /** Whether pairs must be dropped or mended before others are appended. */
    boolean needsEdit() {
        return needsEdit;
    }

    private void take(int from, int nameEnd, int pairEnd) {
        switch (nameEnd - from) {
            case 4 -> {
                if (is(PropertyKey.WAIT_STORE, from)) {
                    waitForStore = !isText("false", nameEnd + 1, pairEnd);
                } else if (is(PropertyKey.KEYS, from)) {
                    keys = countKeys(nameEnd + 1, pairEnd);
                }
            }
            case 5 -> {
                if (is(PropertyKey.DELAY_LEVEL, from)) {
                    level = value(nameEnd, pairEnd);
                }
            }
            case 6 -> needsEdit |= is(PropertyKey.POP_CK, from);
            case 7 -> needsEdit |= is(PropertyKey.CLUSTER, from) || is(PropertyKey.HALF_MARK, from);
            case 8 -> takeEight(from, nameEnd, pairEnd);
            case 10 -> needsEdit |= is(PropertyKey.MSG_REGION, from);
            case 12 -> fired |= is(PropertyKey.TIMER_OUT_MS, from);
            case 13 -> hasShardingKey |= is(PropertyKey.SHARDING_KEY, from);
            case 14 -> delayMs = is(PropertyKey.TIMER_DELAY_MS, from) ? value(nameEnd, pairEnd) : delayMs;
            case 15 -> delaySec = is(PropertyKey.TIMER_DELAY_SEC, from) ? value(nameEnd, pairEnd) : delaySec;
            case 16 -> deliverMs = is(PropertyKey.TIMER_DELIVER_MS, from) ? value(nameEnd, pairEnd) : deliverMs;
            case 18 -> priority = is(PropertyKey.PRIORITY, from) ? number(value(nameEnd, pairEnd)) : priority;
            default -> {}
        }
    }

    private void takeEight(int from, int nameEnd, int pairEnd) {
        if (is(PropertyKey.UNIQ_KEY, from)) {
            uniqueKey = value(nameEnd, pairEnd);
        } else if (is(PropertyKey.TRANSACTION_PREPARED, from)) {
            half = isText("true", nameEnd + 1, pairEnd);
        } else {
            needsEdit |=
                    is(PropertyKey.TRACE_ON, from) || is(PropertyKey.STAMP, from) || is(PropertyKey.TIMER_MARK, from);
        }
    }

    private int countKeys(int from, int to) {
        if ((to - from + 1) / 2 <= MAX_KEYS) {
            return 0; // as nearly always: so short a text cannot hold more
        }
        int count = 0;
        for (int i = from; i < to; i++) {
            boolean begins = utf8[i] != ' ' && (i == from || utf8[i - 1] == ' ');
            count += begins ? 1 : 0;
        }
        return count;
    }

    private static int number(String text) {
        try {
            return Math.max(NO_PRIORITY, Integer.parseInt(text));
        } catch (NumberFormatException e) {
            return NO_PRIORITY;
        }
    }

    private boolean is(String name, int from) {
        return isText(name, from, from + name.length());
    }

    private boolean isText(String ascii, int from, int to) {
        if (to - from != ascii.length()) {
            return false;
        }
        for (int i = 0; i < ascii.length(); i++) {
            if (utf8[from + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String value(int nameEnd, int pairEnd) {
        return new String(utf8, nameEnd + 1, pairEnd - nameEnd - 1, StandardCharsets.UTF_8);
    }
}
